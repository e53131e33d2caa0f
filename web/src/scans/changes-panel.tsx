import { Anchor, Button, Code, Group, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanChanges,
  ScanRun,
} from "@waymark/shared/scans/schema.ts";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { SeverityBadge } from "../lib/severity.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import classes from "./changes-panel.module.css";
import { countChanges, describeChange, labelOf } from "./describe-changes.ts";
import { useChanges } from "./use-scan-run.ts";

/** How many items of one kind, and how many runs to compare with, are shown first. Search finds the other runs. */
const SHOWN_STEP = 100;
const OPTIONS_MAX = 200;

export function ChangesPanel({ run }: { run: ScanRun }) {
  const [against, setAgainst] = useUrlState("against");
  const changes = useChanges(run, against === "" ? "previous" : against);

  return (
    <Stack>
      <OtherRun run={run} against={against} onChoose={setAgainst} />
      {changes.isPending && <Skeleton height={200} aria-label="Comparing" />}
      {changes.isError && <ErrorAlert error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.isSuccess && (
        <Changes changes={changes.data} since={against === "" ? "the previous run" : "that run"} />
      )}
    </Stack>
  );
}

/** The run to compare with: the previous one, or any other of the service. */
function OtherRun(props: { run: ScanRun; against: string; onChoose: (id: string) => void }) {
  const { run, against, onChoose } = props;
  const runs = useServiceRuns(run.serviceId);
  const others = (runs.data ?? []).filter((other) => other.id !== run.id && other.status === "completed");
  const options = others.map((other) => ({ value: other.id, label: labelOf(other) }));
  // A link may refer to a run that isn't loaded yet.
  if (against !== "" && !others.some((other) => other.id === against))
    options.push({ value: against, label: `Run ${against}` });
  return (
    <Group align="end" gap="sm">
      <Select
        label="Compare with"
        placeholder="The previous run"
        data={options}
        value={against === "" ? null : against}
        onChange={(next) => onChoose(next ?? "")}
        searchable={options.length > 10}
        clearable
        clearButtonProps={{ "aria-label": "Compare with the previous run" }}
        nothingFoundMessage="No run matches this date, specification or count."
        limit={OPTIONS_MAX}
        w={420}
        maw="100%"
      />
      {runs.hasNextPage && (
        <Button variant="default" loading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          Load older runs
        </Button>
      )}
    </Group>
  );
}

function Changes({ changes, since }: { changes: ScanChanges; since: string }) {
  const { endpoints, findings } = changes;
  const total = countChanges(changes);
  return (
    <Stack>
      {changes.against === null ? (
        <Text role="status">There is no earlier run to compare with: everything is new.</Text>
      ) : (
        <Text role="status">
          {total === 0
            ? "Nothing changed since "
            : `${total.toLocaleString()} ${total === 1 ? "change" : "changes"} since `}
          <Anchor component={Link} href={`/scan-runs/${changes.against}`}>
            {since}
          </Anchor>
          .
        </Text>
      )}
      <Kind title="Removed endpoints" items={endpoints.removed} render={endpointLine} />
      <Kind title="Added endpoints" items={endpoints.added} render={endpointLine} />
      <Kind
        title="Changed endpoints"
        items={endpoints.changed}
        render={({ before, after }) => (
          <>
            {endpointLine(after)} <ChangedFields before={before} after={after} />
          </>
        )}
      />
      <Kind title="New findings" items={findings.new} render={findingLine} />
      <Kind title="Fixed findings" items={findings.fixed} render={findingLine} />
      <Kind
        title="Severity changed"
        items={findings.severityChanged}
        render={({ before, after }) => (
          <>
            {findingLine(after)} <Text component="span">(was {before.severity})</Text>
          </>
        )}
      />
    </Stack>
  );
}

function Kind<T>(props: { title: string; items: readonly T[]; render: (item: T) => ReactNode }) {
  const { title, items, render } = props;
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  if (items.length === 0) return null;
  const left = items.length - shownMax;
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {title} ({items.length.toLocaleString()})
      </Title>
      <ul className={`${classes["items"]} breaks`}>
        {items.slice(0, shownMax).map((item, index) => (
          <li key={index}>{render(item)}</li>
        ))}
      </ul>
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString()}
        </Button>
      )}
    </section>
  );
}

function endpointLine(endpoint: NormalizedEndpoint): ReactNode {
  return (
    <>
      <Code>{endpoint.method}</Code> {endpoint.path}
    </>
  );
}

function findingLine(finding: NormalizedFinding): ReactNode {
  return (
    <>
      <SeverityBadge severity={finding.severity} /> <Code>{finding.code}</Code> {finding.message}
      {finding.path !== null && ` — ${[finding.method, finding.path].filter(Boolean).join(" ")}`}
    </>
  );
}

function ChangedFields({ before, after }: { before: NormalizedEndpoint; after: NormalizedEndpoint }) {
  return (
    <Text component="span" size="sm">
      {describeChange(before, after)}
    </Text>
  );
}
