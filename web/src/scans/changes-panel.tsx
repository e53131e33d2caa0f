import { Code, List, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanChanges,
  ScanRun,
} from "@waymark/shared/scans/schema.ts";
import type { ReactNode } from "react";
import { Problem } from "../lib/problem.tsx";
import { SeverityBadge } from "../lib/severity.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useChanges } from "./use-scan-run.ts";

/** How many items of one kind are drawn at once. */
const SHOWN_MAX = 200;
const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function ChangesPanel({ run }: { run: ScanRun }) {
  const [against, setAgainst] = useUrlState("against");
  const runs = useServiceRuns(run.serviceId);
  const changes = useChanges(run, against === "" ? "previous" : against);
  const others = (runs.data ?? []).filter((other) => other.id !== run.id && other.status === "completed");

  return (
    <Stack>
      <Select
        label="Compare with"
        placeholder="The previous run"
        data={others.map((other) => ({ value: other.id, label: when.format(new Date(other.createdAt)) }))}
        value={against === "" ? null : against}
        onChange={(next) => setAgainst(next ?? "")}
        clearable
        clearButtonProps={{ "aria-label": "Compare with the previous run" }}
        w={280}
        maw="100%"
      />
      {changes.isPending && <Skeleton height={200} aria-label="Comparing" />}
      {changes.isError && <Problem error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.isSuccess && <Changes changes={changes.data} />}
    </Stack>
  );
}

function Changes({ changes }: { changes: ScanChanges }) {
  const { endpoints, findings } = changes;
  const total =
    endpoints.added.length +
    endpoints.removed.length +
    endpoints.changed.length +
    findings.new.length +
    findings.fixed.length +
    findings.severityChanged.length;
  return (
    <Stack>
      {changes.against === null && <Text role="status">There is no earlier run: everything is new.</Text>}
      {total === 0 && <Text role="status">Nothing changed.</Text>}
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
        title="Findings that weigh differently"
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
  if (items.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {title} ({items.length})
      </Title>
      <List spacing={4} className="breaks">
        {items.slice(0, SHOWN_MAX).map((item, index) => (
          <List.Item key={index}>{render(item)}</List.Item>
        ))}
      </List>
      {items.length > SHOWN_MAX && <Text c="dimmed">and {items.length - SHOWN_MAX} more</Text>}
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
  const fields = (["operationId", "summary", "tags"] as const)
    .map((name) => ({ name, old: String(before[name] ?? "none"), now: String(after[name] ?? "none") }))
    .filter(({ old, now }) => old !== now);
  return (
    <Text component="span" size="sm">
      {fields.map(({ name, old, now }) => `${name}: ${old} → ${now}`).join("; ")}
    </Text>
  );
}
