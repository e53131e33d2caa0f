import { Anchor, Button, Code, Skeleton, Text, Title } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { Link } from "wouter";
import type { DescriptionIndex, OperationSummary } from "../lib/description/messages.ts";
import { useDescribedOperation } from "../lib/description/use-description.ts";
import { endpointAddress } from "../lib/endpoint/endpoint-address.ts";
import { MarkedText } from "../lib/endpoint/marked-text.tsx";
import { NoDescription } from "../lib/endpoint/no-description.tsx";
import { OperationParts } from "../lib/endpoint/operation-parts.tsx";
import { Deprecated, SchemaTree } from "../lib/endpoint/schema-tree.tsx";
import { LOCALE } from "../lib/locale.ts";
import classes from "./described-parts.module.css";
import { type OperationSection, SHOWN_STEP } from "./filter-operations.ts";

/** The operations of a tag. Each opens in its place. */
export function DescribedOperations(props: {
  serviceId: string;
  scanRunId: string;
  section: OperationSection;
}) {
  const { serviceId, scanRunId, section } = props;
  const { title, description, operations, first } = section;
  return (
    <Section
      title={title}
      items={operations}
      first={first}
      head={description !== null && <MarkedText text={description} />}
      render={(operation) => (
        <Operation
          key={`${operation.kind} ${operation.method} ${operation.path}`}
          serviceId={serviceId}
          scanRunId={scanRunId}
          operation={operation}
        />
      )}
    />
  );
}

/** The schemas of the description by their names. */
export function DescribedSchemas(props: { scanRunId: string; schemas: DescriptionIndex["schemas"] }) {
  return (
    <Section
      title="Schemas"
      items={props.schemas}
      first={SHOWN_STEP}
      render={({ name, schema }) => (
        <Foldable key={name} head={<Code>{name}</Code>}>
          <SchemaTree scanRunId={props.scanRunId} schema={schema} />
        </Foldable>
      )}
    />
  );
}

function Section<Item>(props: {
  title: string;
  items: readonly Item[];
  first: number;
  head?: ReactNode;
  render: (item: Item) => ReactNode;
}) {
  const { title, items, first, head, render } = props;
  const [shownMax, setShownMax] = useState(first);
  const id = useId();
  const left = items.length - shownMax;
  return (
    <section aria-labelledby={id} className={classes["section"]}>
      <Title order={2} size="h3" id={id} mb={4} className="breaks">
        {title} ({items.length.toLocaleString(LOCALE)})
      </Title>
      {head}
      {shownMax > 0 && <ul className={classes["items"]}>{items.slice(0, shownMax).map(render)}</ul>}
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          {shownMax === 0 ? "Show" : "Show more:"} {Math.min(left, SHOWN_STEP)} of{" "}
          {left.toLocaleString(LOCALE)}
        </Button>
      )}
    </section>
  );
}

function Operation(props: { serviceId: string; scanRunId: string; operation: OperationSummary }) {
  const { serviceId, scanRunId, operation } = props;
  const { method, path, kind, summary, operationId, deprecated } = operation;
  const head = (
    <>
      <Code fw={700}>{method}</Code> <span className="breaks">{path}</span>
      {kind === "webhook" && " (webhook)"}
      {deprecated && <Deprecated />}
      <span className={classes["summary"]}>{summary ?? operationId ?? ""}</span>
    </>
  );
  return (
    <Foldable head={head}>
      {kind === "operation" && (
        <Text size="sm" mb="xs">
          <Anchor component={Link} href={endpointAddress(serviceId, { method, path }, scanRunId)}>
            Findings, journeys and history of this endpoint
          </Anchor>
        </Text>
      )}
      <OpenedOperation scanRunId={scanRunId} operation={operation} />
    </Foldable>
  );
}

function OpenedOperation({ scanRunId, operation }: { scanRunId: string; operation: OperationSummary }) {
  const { method, path, kind } = operation;
  const described = useDescribedOperation(scanRunId, { method, path, kind });
  if (described.isLoadingError && described.error !== null)
    return <NoDescription error={described.error} onRetry={() => void described.refetch()} />;
  if (!described.data) return <Skeleton height={120} aria-label="Reading the operation" />;
  return <OperationParts scanRunId={scanRunId} operation={described.data} />;
}

/** A row that shows its content once it is opened. */
function Foldable({ head, children }: { head: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li className={classes["item"]}>
      <button
        type="button"
        className={classes["toggle"]}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span aria-hidden>{isOpen ? "▾" : "▸"}</span> {head}
      </button>
      {isOpen && <div className={classes["inside"]}>{children}</div>}
    </li>
  );
}
