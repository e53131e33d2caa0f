import { Anchor, Badge, Button, Code, Text, Title } from "@mantine/core";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { useId, useState } from "react";
import { Link } from "wouter";
import { endpointAddress } from "../../lib/endpoint/endpoint-address.ts";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";
import { isGone, needsApproval } from "../../lib/verdicts/group-verdicts.ts";
import { VerdictItem } from "../../lib/verdicts/verdict-item.tsx";
import verdictClasses from "../../lib/verdicts/verdicts.module.css";
import type { ChangeCard as Card, Operation } from "./change-cards.ts";
import classes from "./change-card.module.css";
import { EndpointChangeLine } from "./endpoint-change-line.tsx";

/** The number of verdicts of a card that are shown before it is unfolded. */
const SHOWN_VERDICTS = 8;

/** Runs that have the operations of cards. */
export interface RunsOfCards {
  serviceId: string;
  scanRunId: string;
  /** The run that it is compared with, which has the operations that are gone. */
  baseRunId: string;
}

/** The changes of an operation, or of a part that several operations use. @param props.onApprove undefined if the session may not */
export function ChangeCard(props: {
  card: Card;
  runs: RunsOfCards;
  isCompared: boolean;
  onApprove: ((verdicts: readonly Verdict[]) => void) | undefined;
}) {
  const { card, runs, isCompared, onApprove } = props;
  const [isWhole, setIsWhole] = useState(false);
  const id = useId();
  const shown = card.verdicts.slice(0, isWhole ? undefined : SHOWN_VERDICTS);
  const more = card.verdicts.length - shown.length;
  return (
    <section className={classes["card"]} data-level={card.level} aria-labelledby={id} tabIndex={-1} data-card>
      <Title order={3} size="h4" id={id} className={`${classes["title"]} breaks`}>
        <CardTitle card={card} runs={runs} />
      </Title>
      {card.endpoint !== undefined && (
        <EndpointChangeLine
          change={card.endpoint}
          hasVerdicts={card.verdicts.length > 0}
          isCompared={isCompared}
        />
      )}
      {shown.length > 0 && (
        <ul className={`${verdictClasses["verdicts"]} ${classes["verdicts"]}`}>
          {shown.map((verdict, index) => (
            <VerdictItem
              key={`${verdict.fingerprint} ${index}`}
              verdict={verdict}
              runs={runs}
              onApprove={
                onApprove !== undefined && needsApproval(verdict) ? () => onApprove([verdict]) : undefined
              }
            />
          ))}
        </ul>
      )}
      {more > 0 && (
        <Button size="xs" variant="default" m="xs" onClick={() => setIsWhole(true)}>
          Unfold {countOf(more, "more changes")}
        </Button>
      )}
      {card.operationCount > 1 && <UsedBy card={card} runs={runs} />}
    </section>
  );
}

function CardTitle({ card, runs }: { card: Card; runs: RunsOfCards }) {
  const [only] = card.operations;
  if (only === undefined) return <>The whole description</>;
  if (card.operationCount > 1) return <>Used by {countOf(card.operationCount, "operations")}</>;
  const isNew = card.endpoint?.kind === "added";
  return (
    <>
      <OperationLink operation={only} runs={runs} isGone={isGoneOf(card)} />
      {isNew && (
        <>
          {" "}
          <Badge color="gray.7" size="sm">
            new
          </Badge>
        </>
      )}
    </>
  );
}

function UsedBy({ card, runs }: { card: Card; runs: RunsOfCards }) {
  const { operations, operationCount } = card;
  const more = operationCount - operations.length;
  return (
    <details className={classes["used"]}>
      <summary>The {countOf(operationCount, "operations")}</summary>
      <ul className="breaks">
        {operations.map((operation) => (
          <li key={`${operation.kind} ${operation.method} ${operation.path}`}>
            <OperationLink operation={operation} runs={runs} isGone={isGoneOf(card)} />
          </li>
        ))}
      </ul>
      {more > 0 && <Text size="sm">and {more.toLocaleString(LOCALE)} more, which are not listed</Text>}
    </details>
  );
}

function isGoneOf({ endpoint, verdicts }: Card): boolean {
  return endpoint?.kind === "removed" || isGone({ verdicts });
}

function OperationLink(props: { operation: Operation; runs: RunsOfCards; isGone: boolean }) {
  const { serviceId, scanRunId, baseRunId } = props.runs;
  const { method, path, kind } = props.operation;
  const run = props.isGone ? baseRunId : scanRunId;
  return (
    <>
      <Code fz="inherit" fw={700}>
        {method}
      </Code>{" "}
      {kind === "operation" ? (
        <Anchor component={Link} href={endpointAddress(serviceId, { method, path }, run)}>
          {path}
        </Anchor>
      ) : (
        `${path} (${kind})`
      )}
    </>
  );
}
