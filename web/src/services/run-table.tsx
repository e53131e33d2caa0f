import { Anchor, Badge, Button, Code, Group, Stack, Table } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { HELD_COLOR, isHeld } from "../lib/is-held.ts";
import { Time } from "../lib/time.tsx";

const STATUS_COLORS = { accepted: "blue.8", completed: "gray.7", failed: "red.9" } as const;

export function RunTable(props: {
  runs: readonly ScanRun[];
  currentId: string | null;
  older?: { load: () => void; loading: boolean };
}) {
  const { runs, currentId, older } = props;
  return (
    <Stack>
      <ResponsiveTable>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Submitted</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Specification</Table.Th>
            <Table.Th>Branch</Table.Th>
            <Table.Th ta="right">Endpoints</Table.Th>
            <Table.Th ta="right">Findings</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} isCurrent={run.id === currentId} />
          ))}
        </Table.Tbody>
      </ResponsiveTable>
      {older !== undefined && (
        <Button variant="default" loading={older.loading} onClick={older.load} w="fit-content">
          Load older runs
        </Button>
      )}
    </Stack>
  );
}

function RunRow({ run, isCurrent }: { run: ScanRun; isCurrent: boolean }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} href={`/scan-runs/${run.id}`}>
          <Time at={run.createdAt} />
        </Anchor>
      </Table.Td>
      <Table.Td data-wide>
        <Group gap={6}>
          {isCurrent && <Badge color="teal.9">current</Badge>}
          {run.status !== "completed" && <Badge color={STATUS_COLORS[run.status]}>{run.status}</Badge>}
          {isHeld(run) && <Badge color={HELD_COLOR}>not promoted</Badge>}
          {run.status === "completed" &&
            run.promoted &&
            !isCurrent &&
            (run.unchanged ? "unchanged" : "completed")}
          {run.error !== null && run.error.message}
        </Group>
      </Table.Td>
      <Table.Td data-label="Specification" data-wide className="breaks">
        {[run.spec.title, run.spec.version].filter(Boolean).join(" ") || "–"}
      </Table.Td>
      <Table.Td data-label="Branch" data-wide className="breaks">
        <Origin source={run.source} />
      </Table.Td>
      <Table.Td data-label="Endpoints" ta="right">
        {run.endpointCount.toLocaleString()}
      </Table.Td>
      <Table.Td data-label="Findings" ta="right">
        {run.findingCount.toLocaleString()}
      </Table.Td>
    </Table.Tr>
  );
}

/** Hexadecimal digits, as `git log --oneline` has them. */
const COMMIT_DIGITS = 7;

/** The branch and the commit, as far as the client said. */
function Origin({ source }: Pick<ScanRun, "source">) {
  const { branch, commit } = source ?? { branch: null, commit: null };
  if (branch === null && commit === null) return <>–</>;
  return (
    <>
      {branch} {commit !== null && <Code title={commit}>{commit.slice(0, COMMIT_DIGITS)}</Code>}
    </>
  );
}
