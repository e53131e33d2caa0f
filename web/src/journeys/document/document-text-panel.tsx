import { Group, Skeleton, Stack } from "@mantine/core";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Select } from "../../lib/select.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useVersionText } from "../use-journeys.ts";
import type { Journey } from "./journey-page.tsx";
import { NumberedText } from "./numbered-text.tsx";

/** The text of a version with its line numbers. Copying it keeps its bytes. */
export function DocumentTextPanel({ journey }: { journey: Journey }) {
  const [wanted, setWanted] = useUrlState("version");
  const [line, setLine] = useUrlState("line");
  const version =
    Number(wanted) >= 1 && Number(wanted) <= journey.headVersion ? Number(wanted) : journey.headVersion;
  const text = useVersionText(journey.id, version);
  const numbers = Array.from({ length: journey.headVersion }, (_, n) => String(journey.headVersion - n));
  return (
    <Stack gap="xs">
      <Group align="end">
        <Select
          label="Version"
          data={numbers}
          value={String(version)}
          allowDeselect={false}
          onChange={(next) => {
            setLine("");
            setWanted(next === null || next === numbers[0] ? "" : next);
          }}
          w="7rem"
        />
        {text.data !== undefined && <CopyTextButton value={text.data.text} label="Copy the text" />}
      </Group>
      {text.isPending && <Skeleton height={480} aria-label="Loading the text" />}
      {text.isLoadingError && <ErrorAlert error={text.error} onRetry={() => void text.refetch()} />}
      {text.data !== undefined && (
        <NumberedText text={text.data.text} label={`Text of version ${version}`} current={Number(line)} />
      )}
    </Stack>
  );
}
