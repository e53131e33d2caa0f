import { Skeleton, Stack, Title } from "@mantine/core";
import { Suspense } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { Select } from "../../lib/select.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { TextDifference } from "../text-difference/text-difference.tsx";
import { useVersionText } from "../use-journeys.ts";
import type { VersionText } from "./compare-texts.ts";

// Loads late, because it includes the reader of YAML.
const MeaningChanges = lazyPart(
  "What shows the changes by steps and fields",
  async () => (await import("./meaning-changes.tsx")).MeaningChanges,
);

/**
 * Shows the differences between a version and an earlier one, by steps and fields and by lines. The earlier one is the
 * version before it unless the user chooses another.
 */
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
        <Changes
          before={{ version: against, text: before.data.text }}
          after={{ version, text: after.data.text }}
        />
      )}
    </Stack>
  );
}

function Changes({ before, after }: { before: VersionText; after: VersionText }) {
  return (
    <>
      {before.text !== after.text && (
        <Suspense fallback={<Skeleton height={120} aria-label="Comparing the versions" />}>
          <MeaningChanges before={before} after={after} />
        </Suspense>
      )}
      <Title order={3} size="h4" mt="sm">
        Lines
      </Title>
      <TextDifference
        before={before.text}
        after={after.text}
        label={`Changed lines from version ${before.version} to ${after.version}`}
      />
    </>
  );
}
