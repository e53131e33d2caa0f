import type { Operation } from "../openapi/operation.ts";
import type { Program } from "../program/program.ts";
import type { Coverage, JourneyResult } from "../result/result-model.ts";
import type { Faults } from "./faults.ts";
import type { MatchedStep } from "./verify-step.ts";

/** Whether the coverage lists the program's operations, and claims no call that no step made. */
export function verifyCoverage(
  program: Program,
  { result, steps }: { result: JourneyResult; steps: readonly MatchedStep[] },
  faults: Faults,
): void {
  const { operations, notInInventory } = result.coverage;
  const expected = Object.entries(program.operations).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (operations.length !== expected.length) {
    faults.add("coverage.operations", `the program has ${expected.length} operations`);
    return;
  }
  // A run that was broken off has made calls of which no step tells.
  const isWhole = result.status === "passed" || result.status === "failed";
  for (const [at, [key, operation]] of expected.entries()) {
    const claimed = operations[at];
    if (claimed === undefined) continue;
    const path = `coverage.operations[${at}]`;
    const callers = steps.filter(
      ({ step }) => step.target.kind === "operation" && step.target.operation === key,
    );
    checkReference(operation, claimed, { path, faults });
    checkCalls(claimed, { callers, isWhole }, { path, faults });
  }
  const external = steps.filter(({ step }) => step.target.kind === "external");
  for (const [at, { method }] of notInInventory.entries()) {
    const isCalled = external.some(
      ({ step: { target } }) => target.kind === "external" && sameMethod(target.method, method),
    );
    if (!isCalled) faults.add(`coverage.notInInventory[${at}]`, "no step of the program calls this");
  }
}

type Claimed = Coverage["operations"][number];
interface At {
  path: string;
  faults: Faults;
}

function checkReference(operation: Operation, claimed: Claimed, { path, faults }: At): void {
  const { source, operationId, method, path: template } = operation;
  faults.same(
    path,
    [claimed.source, claimed.operationId, claimed.method, claimed.path],
    [source, operationId, method, template],
  );
}

function checkCalls(
  { calls, statuses, asserted }: Claimed,
  { callers, isWhole }: { callers: readonly MatchedStep[]; isWhole: boolean },
  { path, faults }: At,
): void {
  const attempts = callers.reduce((sum, { result }) => sum + result.attempts.length, 0);
  if (isWhole && calls > attempts) faults.add(`${path}.calls`, `no more than ${attempts} were made`);
  if (statuses.length > calls) faults.add(`${path}.statuses`, "are more than the calls");
  const answered = callers.flatMap(({ result }) => result.evidence?.response?.status ?? []);
  const missing = answered.find((status) => !statuses.includes(status));
  if (missing !== undefined) faults.add(`${path}.statuses`, `a step got ${missing}`);
  // A step that was broken off tells nothing of its responses.
  const mayAssert = callers.some(({ step }) => step.criteria.length > 0) && statuses.length > 0;
  const mustAssert = callers.some(
    ({ step, result }) => step.criteria.length > 0 && result.evidence?.response !== undefined,
  );
  if ((asserted && isWhole && !mayAssert) || (!asserted && mustAssert))
    faults.add(`${path}.asserted`, `must be ${mustAssert}: that is what the steps say`);
}

/** Methods of documents are written in either case. */
function sameMethod(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}
