import type { RunError, StepResult } from "../result/result.ts";

/** The inputs and outputs of a workflow that the run has called. */
export interface WorkflowValues {
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

/** The calls of an operation. */
export interface OperationCalls {
  calls: number;
  statuses: Set<number>;
  asserted: boolean;
}

/** The calls of an address that is no operation of the program. */
export interface ExternalCalls {
  method: string;
  url: string;
  calls: number;
}

export type TeardownOutcome = "passed" | "failed" | "skipped";

/** The values of a log, as a checkpoint has them. */
export interface RunLogValues {
  results: readonly StepResult[];
  completed: Iterable<string>;
  workflows: Iterable<readonly [key: string, values: WorkflowValues]>;
  coverage: Iterable<readonly [operation: string, calls: OperationCalls]>;
  external: readonly ExternalCalls[];
  teardowns: readonly TeardownOutcome[];
  contract: { checks: number; failures: number };
  error: RunError | undefined;
}

/** The record of what a run has done. Only its functions change it. */
export interface RunLog {
  readonly results: readonly StepResult[];
  /** Steps that have completed, as those of other workflows name them. */
  readonly completed: ReadonlySet<string>;
  readonly workflows: ReadonlyMap<string, WorkflowValues>;
  readonly coverage: ReadonlyMap<string, Readonly<OperationCalls>>;
  readonly external: ReadonlyMap<string, Readonly<ExternalCalls>>;
  readonly teardowns: readonly TeardownOutcome[];
  /** The number of contract checks of the main phase. */
  readonly contract: Readonly<{ checks: number; failures: number }>;
  /** The first fault that kept the run from being carried out. */
  readonly error: RunError | undefined;
  addResult: (result: StepResult) => void;
  complete: (step: string) => void;
  keepWorkflow: (key: string, values: WorkflowValues) => void;
  countOperation: (operation: string, call: { status: number | undefined; asserted: boolean }) => void;
  countExternal: (method: string, url: string) => void;
  countChecks: (checks: readonly { status: string }[]) => void;
  addTeardown: (outcome: TeardownOutcome) => void;
  /** Records a fault, unless there is one already. */
  fail: (error: RunError) => void;
  /** Records the fault that ended the run. */
  abort: (error: RunError) => void;
  /** Marks the results so far as recorded before a secret was known, which they may contain. */
  markStale: () => void;
  /** Replaces the results that were recorded before a secret was known. */
  cleanStale: (clean: (results: readonly StepResult[]) => StepResult[]) => void;
  /** Takes over the log of a checkpoint. */
  restore: (values: RunLogValues) => void;
}

export function createRunLog(): RunLog {
  const results: StepResult[] = [];
  const completed = new Set<string>();
  const workflows = new Map<string, WorkflowValues>();
  const coverage = new Map<string, OperationCalls>();
  const external = new Map<string, ExternalCalls>();
  const teardowns: TeardownOutcome[] = [];
  const contract = { checks: 0, failures: 0 };
  let staleResults = 0;
  const log: { -readonly [K in keyof RunLog]: RunLog[K] } = {
    results,
    completed,
    workflows,
    coverage,
    external,
    teardowns,
    contract,
    error: undefined,
    addResult: (result) => void results.push(result),
    complete: (step) => void completed.add(step),
    keepWorkflow: (key, values) => void workflows.set(key, values),
    countOperation: (operation, call) => countOperation(coverage, operation, call),
    countExternal: (method, url) => countExternal(external, method, url),
    countChecks: (checks) => countChecks(contract, checks),
    addTeardown: (outcome) => void teardowns.push(outcome),
    fail: (fault) => void (log.error ??= fault),
    abort: (fault) => void (log.error = fault),
    markStale: () => void (staleResults = results.length),
    cleanStale(clean) {
      const stale = results.slice(0, staleResults);
      results.splice(0, stale.length, ...clean(stale));
    },
    restore(values) {
      for (const [key, kept] of values.workflows) workflows.set(key, kept);
      for (const step of values.completed) completed.add(step);
      for (const [operation, calls] of values.coverage) coverage.set(operation, calls);
      for (const call of values.external) external.set(`${call.method} ${call.url}`, { ...call });
      teardowns.push(...values.teardowns);
      Object.assign(contract, values.contract);
      log.error = values.error;
      results.push(...values.results);
    },
  };
  return log;
}

function countOperation(
  coverage: Map<string, OperationCalls>,
  operation: string,
  { status, asserted }: { status: number | undefined; asserted: boolean },
): void {
  const entry = coverage.get(operation) ?? { calls: 0, statuses: new Set<number>(), asserted: false };
  entry.calls++;
  if (status !== undefined) entry.statuses.add(status);
  if (asserted) entry.asserted = true;
  coverage.set(operation, entry);
}

function countExternal(external: Map<string, ExternalCalls>, method: string, url: string): void {
  const key = `${method} ${url}`;
  external.set(key, { method, url, calls: (external.get(key)?.calls ?? 0) + 1 });
}

function countChecks(
  contract: { checks: number; failures: number },
  checks: readonly { status: string }[],
): void {
  contract.checks += checks.length;
  contract.failures += checks.filter(({ status }) => status === "failed").length;
}
