import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { describeFailed, namesOfFailed } from "../lib/describe-gates.ts";
import { LoadMore, type Pages } from "../lib/load-more.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { HELD_COLOR, isHeld } from "../lib/is-held.ts";
import { SourceLine } from "../lib/source-line.tsx";
import { Time } from "../lib/time.tsx";
import { LOCALE } from "../lib/locale.ts";

const STATUS_COLORS = { accepted: "blue.8", completed: "gray.7", failed: "red.9" } as const;

export function RunTable(props: {
  runs: readonly ScanRun[];
  currentId: string | null;
  /** The pages of which the runs are. */
  pages: Pages;
}) {
  const { runs, currentId, pages } = props;
  return (
    <Stack>
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Submitted</th>
            <th>Status</th>
            <th>Specification</th>
            <th>Source</th>
            <th className="right">Endpoints</th>
            <th className="right">Findings</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} isCurrent={run.id === currentId} />
          ))}
        </tbody>
      </ResponsiveTable>
      <LoadMore pages={pages} label="Load older runs" size="sm" />
    </Stack>
  );
}

function RunRow({ run, isCurrent }: { run: ScanRun; isCurrent: boolean }) {
  return (
    <tr>
      <td>
        <Anchor component={Link} href={`/scan-runs/${run.id}`}>
          <Time at={run.createdAt} />
        </Anchor>
        {run.creator !== null && (
          <Text size="sm" c="dimmed" className="breaks">
            by {run.creator.displayName}
          </Text>
        )}
      </td>
      <td data-wide>
        <Group gap={6}>
          {isCurrent && <Badge color="teal.9">current</Badge>}
          {run.status !== "completed" && <Badge color={STATUS_COLORS[run.status]}>{run.status}</Badge>}
          {isHeld(run) && <Badge color={HELD_COLOR}>not promoted</Badge>}
          {describeFailed(namesOfFailed(run.gates))}
          {run.status === "completed" &&
            run.promoted &&
            !isCurrent &&
            (run.unchanged ? (
              <span title={describeCompared({ findings: true })}>same endpoints and findings</span>
            ) : (
              "completed"
            ))}
          {run.error !== null && run.error.message}
        </Group>
      </td>
      <td data-label="Specification" data-wide className="breaks">
        {[run.spec.title, run.spec.version].filter(Boolean).join(" ") || "–"}
      </td>
      <td data-label="Source" data-wide className="breaks">
        {run.source === null ? "–" : <SourceLine source={run.source} />}
      </td>
      <td data-label="Endpoints" className="right">
        {run.endpointCount.toLocaleString(LOCALE)}
      </td>
      <td data-label="Findings" className="right">
        {run.findingCount.toLocaleString(LOCALE)}
      </td>
    </tr>
  );
}
