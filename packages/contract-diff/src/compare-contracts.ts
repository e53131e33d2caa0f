import type { Findings, LifecyclePolicy, OperationChange } from "./operations/change.ts";
import { nameOf, placeOf } from "./operations/change.ts";
import { compareOperation } from "./operations/compare-operation.ts";
import { areServersCompared, compareServers } from "./operations/compare-servers.ts";
import { matchOperations, type MatchedOperations } from "./operations/match-operations.ts";
import { removedOperation } from "./operations/removed-operation.ts";
import type { Description } from "./read/description.ts";
import { listOperations } from "./read/list-operations.ts";
import type { Operation } from "./read/operation.ts";
import { ADDRESSES_MAX, ADDRESSES_TOTAL_MAX } from "./read/read-servers.ts";
import { draftOfChange } from "./report/change-verdicts.ts";
import { locateVerdicts } from "./report/locate-verdicts.ts";
import { joinVerdicts } from "./report/join-verdicts.ts";
import { listNotCompared, type NotCompared } from "./report/not-compared.ts";
import { type Policy, applyPolicy, type PolicyResult } from "./report/policy.ts";
import { type Draft, draftOf } from "./report/schema-verdicts.ts";
import { createSchemaContext } from "./schemas/create-context.ts";
import { createPairGraph, REACHED_MAX } from "./schemas/pair-graph.ts";
import { createUnchanged, type Unchanged } from "./schemas/unchanged.ts";
import type { OperationName } from "./verdict.ts";

export interface CompareOptions extends Policy, LifecyclePolicy {
  today: string;
  /** The limit of the work: about one step for each schema and keyword. */
  steps?: number;
}

/** The verdicts on all differences of two descriptions. */
export interface Comparison extends PolicyResult {
  /** The operations of each side. */
  operations: { base: number; head: number };
  /** The operations that both sides have, by their names on each. */
  matched: { base: OperationName; head: OperationName }[];
  /** Parts that were not compared, each with the reason. */
  notCompared: NotCompared[];
}

const STEPS = 5_000_000;

/** Compares what the operations of two descriptions allow to be sent, and judges each difference. */
export function compareContracts(base: Description, head: Description, options: CompareOptions): Comparison {
  const [olds, news] = [listOperations(base), listOperations(head)];
  const unchanged = createUnchanged(base, head);
  const { findings, pairs } = compareOperations(olds, news, { unchanged, policy: options });
  findings.changes.push(...unresolvedReferences(base, head, news));
  const context = createSchemaContext(options.steps ?? STEPS);
  const graph = createPairGraph(context, unchanged);
  for (const use of findings.schemas) graph.add(use);
  const limits = new Set<string>();
  if (!pairs.every(({ old, next }) => areServersCompared(old, next)))
    limits.add(
      `removed servers, because variables make more than ${ADDRESSES_MAX} addresses of a server or ${ADDRESSES_TOTAL_MAX} of a description`,
    );
  const drafts: Draft[] = findings.changes.map(draftOfChange);
  for (const use of findings.schemas) {
    const found = graph.collect(use);
    if (found.length >= REACHED_MAX)
      limits.add(`differences of the ${use.part} beyond the first ${REACHED_MAX}`);
    for (const reached of found) {
      const draft = draftOf(context, use, reached);
      if (draft !== undefined) drafts.push(draft);
    }
  }
  const verdicts = joinVerdicts(drafts);
  const judged = applyPolicy(verdicts, options);
  locateVerdicts(judged.verdicts, base, head);
  const matched = pairs.map(({ old, next }) => ({ base: nameOf(old), head: nameOf(next) }));
  const notCompared = listNotCompared(head, [...limits]);
  return { operations: { base: olds.length, head: news.length }, matched, notCompared, ...judged };
}

function compareOperations(
  olds: readonly Operation[],
  news: readonly Operation[],
  { unchanged, policy }: { unchanged: Unchanged; policy: LifecyclePolicy },
): { findings: Findings; pairs: MatchedOperations["pairs"] } {
  const findings: Findings = { changes: [], schemas: [] };
  const matched = matchOperations(olds, news);
  for (const { old, next, moved } of matched.pairs) {
    const isWebhook = old.kind === "webhook";
    findings.changes.push(...compareServers(old, next, moved));
    if (isSame(old, next, unchanged)) continue;
    const [sent, received] = isWebhook
      ? (["response", "request"] as const)
      : (["request", "response"] as const);
    compareOperation({ old, next, sent, received, findings, policy });
  }
  const successors = findSuccessors(matched.removed, matched.added);
  for (const old of matched.removed) {
    findings.changes.push(removedOperation(old, { today: policy.today, successor: successors.get(old) }));
  }
  const known = new Set(successors.values());
  for (const next of matched.added) if (!known.has(next)) findings.changes.push(addedOperation(next));
  return { findings, pairs: matched.pairs };
}

/** True if the texts of both are the same, with all that they refer to. */
function isSame(old: Operation, next: Operation, unchanged: Unchanged): boolean {
  return (
    old.path === next.path &&
    unchanged.values(old.at, next.at) &&
    old.shared.length === next.shared.length &&
    old.shared.every((each, index) => unchanged.values(each, next.shared[index] ?? next.at))
  );
}

/** An operation with the same operationId under another address is the same one, moved. */
function findSuccessors(
  removed: readonly Operation[],
  added: readonly Operation[],
): Map<Operation, Operation> {
  const byId = new Map(added.map((next) => [`${next.kind} ${next.operationId}`, next]));
  const successors = new Map<Operation, Operation>();
  for (const old of removed) {
    const next = old.operationId === undefined ? undefined : byId.get(`${old.kind} ${old.operationId}`);
    if (next !== undefined) successors.set(old, next);
  }
  return successors;
}

function addedOperation(next: Operation): OperationChange {
  return {
    kind: `${next.kind}-added`,
    level: "safe",
    direction: "operation",
    part: "",
    message: `${next.method} ${next.path} was added.`,
    after: `${next.method} ${next.path}`,
    head: placeOf(next.at),
    operation: nameOf(next),
  };
}

/** Returns a change if references became unresolved or resolvable: the schemas behind them could not be compared. */
function unresolvedReferences(
  base: Description,
  head: Description,
  news: readonly Operation[],
): OperationChange[] {
  const [before, after] = [base.unresolved, head.unresolved];
  const changed = [...new Set([...before, ...after])].filter((each) => before.has(each) !== after.has(each));
  const [operation] = news;
  if (changed.length === 0 || operation === undefined) return [];
  return [
    {
      kind: "reference-unresolved",
      level: "maybe",
      direction: "operation",
      part: "references",
      message: `What the reference ${changed.slice(0, 3).join(", ")} leads to could not be read, and was not compared.`,
      before: changed.join(", "),
      operation: nameOf(operation),
      shared: true,
    },
  ];
}
