import { Anchor, Badge, Code, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { ExportButtons } from "../../lib/export-buttons.tsx";
import { FilterRow } from "../../lib/filters.tsx";
import { quoteShell } from "../../lib/quote-shell.ts";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import type { ExportFields } from "../../lib/table-export.ts";
import { TimeAgo } from "../../lib/time.tsx";
import { RunStatusBadge } from "../run-status.tsx";
import { useJourneyRuns } from "../use-journeys.ts";
import { describeDuration } from "../run/describe-duration.ts";
import { RunStatistics } from "./journey-statistics.tsx";
import { lastEndOf } from "./run-statistics.ts";

export function JourneyRunTable({ journeyId, path }: { journeyId: string; path: string }) {
  const runs = useJourneyRuns(journeyId);
  if (runs.isPending) return <Skeleton height={480} aria-label="Loading the runs" />;
  if (runs.isLoadingError) return <ErrorAlert error={runs.error} onRetry={() => void runs.refetch()} />;
  if (runs.data.length === 0) return <NoRuns path={path} />;
  return (
    <Stack gap="sm">
      <RunStatistics journeyId={journeyId} lastEnd={lastEndOf(runs.data)} />
      <FilterRow actions={<ExportButtons name={[path, "runs"]} fields={EXPORTED} rows={runs.data} />} />
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Started</th>
            <th>Status</th>
            <th>Environment</th>
            <th>Version</th>
            <th>By</th>
            <th className="right">Took</th>
          </tr>
        </thead>
        <tbody>
          {runs.data.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </ResponsiveTable>
      <LoadMore pages={runs} label="Load older runs" size="sm" />
    </Stack>
  );
}

const EXPORTED: ExportFields<JourneyRun> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  startedAt: ({ startedAt }) => startedAt,
  endedAt: ({ endedAt }) => endedAt,
  status: ({ status }) => status,
  environment: ({ environmentName }) => environmentName,
  version: ({ version }) => version,
  origin: ({ origin }) => origin,
  trigger: ({ trigger }) => trigger,
  creator: ({ creator }) => creator?.displayName ?? null,
  stepCount: ({ stepCount }) => stepCount,
  passedStepCount: ({ passedStepCount }) => passedStepCount,
  error: ({ error }) => error?.message ?? null,
};

function RunRow({ run }: { run: JourneyRun }) {
  return (
    <tr>
      <td>
        <Anchor component={Link} href={`/journey-runs/${run.id}`}>
          <TimeAgo at={run.createdAt} />
        </Anchor>
      </td>
      <td data-wide className="breaks">
        <Group gap={6}>
          <RunStatusBadge status={run.status} />
          {run.origin === "uploaded" && <Badge color="gray.7">uploaded</Badge>}
          {run.error?.message}
        </Group>
      </td>
      <td data-label="Environment" className="breaks">
        {run.environmentName}
      </td>
      <td data-label="Version">{run.version}</td>
      <td data-label="By" className="breaks">
        {run.creator === null ? run.trigger : `${run.trigger}, ${run.creator.displayName}`}
      </td>
      <td data-label="Took" className="right">
        {describeDuration(run)}
      </td>
    </tr>
  );
}

function NoRuns({ path }: { path: string }) {
  return (
    <Stack gap="xs">
      <Text role="status">No run yet. This runs the journey here:</Text>
      <Code block tabIndex={0}>{`waymark journey run --cloud --env ENVIRONMENT ${quoteShell(path)}`}</Code>
    </Stack>
  );
}
