import { Skeleton, Stack, Title } from "@mantine/core";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Select } from "../../lib/select.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { TextDifference } from "../build/save/text-difference.tsx";
import { useVersionText } from "../use-journeys.ts";

/** The lines that differ between a version and an earlier one, which is the one before it unless the user chooses another. */
export function VersionChanges({ journeyId, version }: { journeyId: string; version: number }) {
  const [wanted, setWanted] = useUrlState("against");
  const against = Number(wanted) >= 1 && Number(wanted) < version ? Number(wanted) : version - 1;
  const before = useVersionText(journeyId, against);
  const after = useVersionText(journeyId, version);
  const earlier = Array.from({ length: version - 1 }, (_, n) => String(version - 1 - n));
  const title = `Changes of version ${version}`;
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      <Select
        label="Since version"
        data={earlier}
        value={String(against)}
        allowDeselect={false}
        onChange={(next) => setWanted(next === null || next === earlier[0] ? "" : next)}
        w="9rem"
      />
      {(before.isPending || after.isPending) && <Skeleton height={240} aria-label="Loading the texts" />}
      {before.isLoadingError && <ErrorAlert error={before.error} onRetry={() => void before.refetch()} />}
      {after.isLoadingError && <ErrorAlert error={after.error} onRetry={() => void after.refetch()} />}
      {before.data !== undefined && after.data !== undefined && (
        <TextDifference
          before={before.data.text}
          after={after.data.text}
          label={`Changed lines from version ${against} to ${version}`}
        />
      )}
    </Stack>
  );
}
