import type { CoveredCriterion, CoveredOperation } from "@waymark/shared/journey-coverage/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { CRITERION_STATES, OPERATION_STATES } from "./coverage-states.ts";
import { LOCALE } from "../lib/locale.ts";
import { wholePercent } from "../lib/whole-percent.ts";

/** Returns the name of a criterion in links. */
export function keyOfCriterion({ journeyId, id }: CoveredCriterion): string {
  return `${journeyId} ${id}`;
}

/**
 * The steps that prove a criterion: in the newest version of the document that declares it, or in what ran, such as a variant of it.
 * Never nothing beside a verdict that something proved.
 */
export function describeProvers({
  provenBy,
  verdict,
  state,
}: Pick<CoveredCriterion, "provenBy" | "verdict" | "state">): string {
  if (provenBy.length > 0) return provenBy.join(", ");
  if (verdict !== null && verdict.by.length > 0) return `${verdict.by.join(", ")} of ${verdict.journeyPath}`;
  return state === "proven" || state === "stale" ? "not recorded" : "nothing";
}

/** Returns the name of an operation in links. */
export function keyOfOperation({ serviceId, sourcePath, method, path }: CoveredOperation): string {
  return `${serviceId ?? sourcePath ?? ""} ${method} ${path}`;
}

/** True if a journey that called the operation declares the criterion, or ran it last. */
function isRelated({ journeyId, verdict }: CoveredCriterion, { journeys }: CoveredOperation): boolean {
  return journeys.some(({ id }) => id === journeyId || id === verdict?.journeyId);
}

/** @param filter.of the operation that is selected in the other table */
export function filterCriteria(
  criteria: readonly CoveredCriterion[],
  filter: { text: string; state: string; severity: string; of: CoveredOperation | undefined },
  order: string,
): CoveredCriterion[] {
  const { text, state, severity, of } = filter;
  const found = criteria.filter(
    (criterion) =>
      (state === "" || criterion.state === state) &&
      (severity === "" || criterion.severity === severity) &&
      (of === undefined || isRelated(criterion, of)) &&
      matchesText(text, [criterion.id, criterion.text, criterion.journeyPath, describeProvers(criterion)]),
  );
  return sortRows(found, order, CRITERIA_ORDERS);
}

/** @param filter.of the criterion that is selected in the other table */
export function filterOperations(
  operations: readonly CoveredOperation[],
  filter: { text: string; state: string; of: CoveredCriterion | undefined },
  order: string,
): CoveredOperation[] {
  const { text, state, of } = filter;
  const found = operations.filter(
    (operation) =>
      (state === "" || operation.state === state) &&
      (of === undefined || isRelated(of, operation)) &&
      matchesText(text, [
        `${operation.method} ${operation.path}`,
        operation.operationId,
        operation.serviceName,
        ...operation.journeys.map(({ path }) => path),
      ]),
  );
  return sortRows(found, order, OPERATION_ORDERS);
}

const CRITERION_RANKS = Object.keys(CRITERION_STATES);
const OPERATION_RANKS = Object.keys(OPERATION_STATES);

const CRITERIA_ORDERS = {
  state: (a: CoveredCriterion, b: CoveredCriterion) =>
    CRITERION_RANKS.indexOf(a.state) - CRITERION_RANKS.indexOf(b.state),
  journey: (a: CoveredCriterion, b: CoveredCriterion) => compareText(a.journeyPath, b.journeyPath),
  verdict: (a: CoveredCriterion, b: CoveredCriterion) =>
    compareTimes(a.verdict?.endedAt ?? null, b.verdict?.endedAt ?? null),
};

const OPERATION_ORDERS = {
  state: (a: CoveredOperation, b: CoveredOperation) =>
    OPERATION_RANKS.indexOf(a.state) - OPERATION_RANKS.indexOf(b.state),
  path: (a: CoveredOperation, b: CoveredOperation) => compareText(a.path, b.path),
  service: (a: CoveredOperation, b: CoveredOperation) =>
    compareText(a.serviceName ?? "", b.serviceName ?? ""),
  calls: (a: CoveredOperation, b: CoveredOperation) => a.calls - b.calls,
  calledAt: (a: CoveredOperation, b: CoveredOperation) => compareTimes(a.calledAt, b.calledAt),
};

/** Compares times for sorting: the newest first, and items without a time last. */
function compareTimes(a: string | null, b: string | null): number {
  return (b === null ? 0 : Date.parse(b)) - (a === null ? 0 : Date.parse(a));
}

/** The states that occur, with their number, to choose from. */
export function countStates(
  items: readonly { state: string }[],
  words: Readonly<Record<string, { label: string }>>,
): { value: string; label: string }[] {
  const byState = Map.groupBy(items, ({ state }) => state);
  return Object.entries(words).flatMap(([value, { label }]) => {
    const count = byState.get(value)?.length;
    return count === undefined ? [] : [{ value, label: `${label} (${count.toLocaleString(LOCALE)})` }];
  });
}

/** A share in words. Only a whole one has 100 %, and only an empty one 0 %. */
export function describeShare({ covered, total }: { covered: number; total: number }): {
  percent: number;
  words: string;
} {
  if (total === 0) return { percent: 0, words: "none" };
  const percent = wholePercent(covered, total);
  return {
    percent,
    words: `${covered.toLocaleString(LOCALE)} of ${total.toLocaleString(LOCALE)}, ${percent} %`,
  };
}
