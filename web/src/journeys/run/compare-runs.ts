import type { RunStep, StepResult } from "./step-result.ts";

export interface AssertionChange {
  id: string;
  condition: string;
  /** Undefined: the earlier run has no such assertion. */
  before: string | undefined;
  after: string;
  /** The actual value in the response of the later run. Undefined if it passed. */
  actual: unknown;
}

/** A step that went differently in the two runs. */
export interface StepChange {
  /** Unique among the changes. */
  key: string;
  name: string;
  /** Undefined: the run has no such step. */
  before: string | undefined;
  after: string | undefined;
  assertions: AssertionChange[];
}

/**
 * The steps whose status, or the status of an assertion, differs, in the order of the later run; then those that only the earlier one
 * has. Values are not compared: they differ from run to run.
 */
export function compareRuns(before: readonly RunStep[], after: readonly RunStep[]): StepChange[] {
  const earlier = byKey(before);
  const later = byKey(after);
  const changed = [...later].flatMap(([key, step]) => changeOf(key, earlier.get(key), step) ?? []);
  const gone = [...earlier].filter(([key]) => !later.has(key));
  return [...changed, ...gone.flatMap(([key, step]) => changeOf(key, step, undefined) ?? [])];
}

/**
 * Returns steps by a key that is the same in any run. It ends with a number, because a step can run again after a goto.
 */
function byKey(steps: readonly RunStep[]): Map<string, StepResult> {
  const seen = new Map<string, number>();
  return new Map(
    steps.map(({ result }) => {
      const key = `${result.phase} ${result.workflow ?? ""} ${result.id}`;
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      return [`${key} ${count}`, result];
    }),
  );
}

function changeOf(
  key: string,
  before: StepResult | undefined,
  after: StepResult | undefined,
): StepChange | undefined {
  const assertions = before === undefined || after === undefined ? [] : assertionChanges(before, after);
  if (before?.status === after?.status && assertions.length === 0) return undefined;
  const step = after ?? before;
  if (step === undefined) return undefined;
  const name = `${step.workflow === undefined ? "" : `${step.workflow} › `}${step.id}`;
  return {
    key,
    name: step.phase === "teardown" ? `${name} (teardown)` : name,
    before: before?.status,
    after: after?.status,
    assertions,
  };
}

function assertionChanges(before: StepResult, after: StepResult): AssertionChange[] {
  const earlier = new Map(before.assertions.map((assertion) => [assertion.id, assertion]));
  return after.assertions.flatMap(({ id, condition, status, actual }) => {
    const was = earlier.get(id)?.status;
    if (was === status || (was === undefined && status === "passed")) return [];
    return [{ id, condition, before: was, after: status, actual: status === "passed" ? undefined : actual }];
  });
}
