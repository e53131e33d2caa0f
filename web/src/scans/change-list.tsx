import { Anchor, Button, Code, Stack, Text, Title } from "@mantine/core";
import { breaksGeneratedClients, separateRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { NormalizedEndpoint, NormalizedFinding, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { type ReactNode, useMemo, useState } from "react";
import { Link } from "wouter";
import { operationOf } from "../lib/operation.ts";
import { SeverityBadge } from "../lib/severity.tsx";
import classes from "./change-list.module.css";
import {
  countChanges,
  describeBreaking,
  describeChange,
  describeTotal,
  groupByTag,
} from "./describe-changes.ts";
import { LOCALE } from "../lib/locale.ts";

/** The number of items of one kind that are shown first. */
const SHOWN_STEP = 100;

/** The changes by kind, with a note at those that break clients. */
export function ChangeList({ changes, since }: { changes: ScanChanges; since: string }) {
  const { findings } = changes;
  const endpoints = useMemo(() => separateRenamedParameters(changes.endpoints), [changes]);
  // The verdicts say what breaks clients, and know more: an endpoint that is removed after its sunset breaks none.
  const hasVerdicts = changes.comparison.status === "compared";
  return (
    <Stack>
      <Total changes={changes} since={since} />
      <EndpointKind
        title="Removed endpoints"
        sign="−"
        items={endpoints.removed}
        endpointOf={itself}
        {...(!hasVerdicts && { note: "Breaks clients: whoever calls a removed operation gets an error." })}
        render={(item) => endpointLine(item)}
      />
      <EndpointKind
        title="Changed endpoints"
        sign="~"
        items={endpoints.changed}
        endpointOf={afterOf}
        render={({ before, after }) => (
          <>
            <EndpointLink endpoint={after} />{" "}
            <ChangedFields before={before} after={after} hasVerdicts={hasVerdicts} />
          </>
        )}
      />
      <EndpointKind
        title="Renamed path parameters"
        sign="~"
        items={endpoints.parametersRenamed}
        endpointOf={afterOf}
        note="Breaks no client: the names of path parameters are not part of a request."
        render={({ before, after }) => (
          <>
            {endpointLine(before)} → <EndpointLink endpoint={after} />{" "}
            <ChangedFields before={before} after={after} hasVerdicts={hasVerdicts} />
          </>
        )}
      />
      <EndpointKind
        title="Added endpoints"
        sign="+"
        items={endpoints.added}
        endpointOf={itself}
        render={(item) => <EndpointLink endpoint={item} />}
      />
      <Kind title="New findings" items={findings.new} render={findingLine} />
      <Kind title="Fixed findings" items={findings.fixed} render={findingLine} />
      <Kind
        title="Findings of removed or renamed endpoints"
        items={findings.removedWithEndpoint}
        render={findingLine}
      />
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

/** Shows the number of changes, the number that breaks clients, and the run that was compared. */
function Total({ changes, since }: { changes: ScanChanges; since: string }) {
  const { against, comparison } = changes;
  if (against === null)
    return <Text role="status">There is no earlier run to compare with: everything is new.</Text>;
  return (
    <div role="status">
      <Text>
        {describeTotal(countChanges(changes))}{" "}
        <Anchor component={Link} href={`/scan-runs/${against}`} underline="always">
          {since}
        </Anchor>
        {comparison.status === "compared" ? ", of endpoints and findings." : `. ${describeBreaking(changes)}`}
      </Text>
      {comparison.status !== "compared" && (
        <Text size="sm" c="dimmed">
          {describeCompared({ findings: true })}
        </Text>
      )}
    </div>
  );
}

const itself = (endpoint: NormalizedEndpoint) => endpoint;
const afterOf = ({ after }: { after: NormalizedEndpoint }) => after;

interface EndpointKindProps<T> {
  title: string;
  sign: "+" | "−" | "~";
  items: readonly T[];
  endpointOf: (item: T) => NormalizedEndpoint;
  /** The effect of the change on clients. */
  note?: string;
  render: (item: T) => ReactNode;
}

/** Endpoints that changed in one way, by tag. */
function EndpointKind<T>({ title, sign, items, endpointOf, note, render }: EndpointKindProps<T>) {
  const sorted = useMemo(() => groupByTag(items, endpointOf), [items, endpointOf]);
  const tagged = sorted.flatMap(({ tag, items: ofTag }) =>
    ofTag.map((item, index) => ({ item, tag: index === 0 ? tag : undefined })),
  );
  return (
    <Kind
      title={title}
      items={tagged}
      {...(note === undefined ? {} : { note })}
      render={({ item, tag }) => (
        <>
          {tag !== undefined && sorted.length > 1 && (
            <Text size="xs" c="dimmed" fw={600}>
              {tag === "" ? "no tag" : tag}
            </Text>
          )}
          <span className={classes["sign"]} aria-hidden>
            {sign}
          </span>{" "}
          {render(item)}
        </>
      )}
    />
  );
}

function Kind<T>(props: {
  title: string;
  items: readonly T[];
  note?: string;
  render: (item: T) => ReactNode;
}) {
  const { title, items, note, render } = props;
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  if (items.length === 0) return null;
  const left = items.length - shownMax;
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {title} ({items.length.toLocaleString(LOCALE)})
      </Title>
      {note !== undefined && (
        <Text size="sm" mb="xs">
          {note}
        </Text>
      )}
      <ul className={`${classes["items"]} breaks`}>
        {items.slice(0, shownMax).map((item, index) => (
          <li key={index}>{render(item)}</li>
        ))}
      </ul>
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString(LOCALE)}
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

/** Leads to the endpoint in the run's table. */
function EndpointLink({ endpoint }: { endpoint: NormalizedEndpoint }) {
  return (
    <>
      <Code>{endpoint.method}</Code>{" "}
      <Anchor
        component={Link}
        href={`?${new URLSearchParams({ of: operationOf(endpoint.method, endpoint.path) })}`}
      >
        {endpoint.path}
      </Anchor>
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

function ChangedFields(props: {
  before: NormalizedEndpoint;
  after: NormalizedEndpoint;
  /** True if verdicts say what breaks clients. */
  hasVerdicts: boolean;
}) {
  const { before, after, hasVerdicts } = props;
  return (
    <Text component="span" size="sm">
      {describeChange(before, after)}
      {!hasVerdicts &&
        breaksGeneratedClients({ before, after }) &&
        " (breaks generated clients: another operationId is another method name)"}
    </Text>
  );
}
