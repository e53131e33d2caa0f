import { foreignStepKey } from "../compile/foreign-step.ts";
import { externalAddress } from "../program/external-address.ts";
import type { ProgramAction, ProgramStep } from "../program/program.ts";
import type { AttemptResult, StepResult } from "../result/result.ts";
import { isoTime } from "../result/iso-time.ts";
import { allHold } from "./assertions.ts";
import { type AttemptHistory, createAttemptHistory } from "./attempt-history.ts";
import { attemptRequest, operationOf, pollVerdict } from "./attempt.ts";
import type { Attempt, StepPlace } from "./attempt.ts";
import { cleanExchange } from "./clean-results.ts";
import { RunAborted } from "./limits.ts";
import type { Next, Run, WorkflowRun } from "./state.ts";
import { cleanFields, noteOfDeep, shownRecord } from "./values.ts";
import { retryAfterMs } from "./retry-after.ts";
import { wait } from "./wait.ts";

/** How a step reaches other workflows and steps; given by the workflow runner, which knows how to run them. */
export interface Calls {
  callWorkflow: (workflow: WorkflowRun, place: StepPlace) => Promise<Attempt>;
  /** Before a retry: the step or workflow that the action names. */
  runBetween: (workflow: WorkflowRun, action: ProgramAction) => Promise<void>;
}

/** Runs a step with all its attempts, and tells where the workflow goes on. @throws RunAborted */
export async function runStep(
  run: Run,
  workflow: WorkflowRun,
  place: StepPlace,
  calls: Calls,
): Promise<{ next: Next; passed: boolean }> {
  const { step } = place;
  const result = beginStep(run, workflow, place);
  const history = createAttemptHistory();
  const retries = new Map<string, number>();
  for (;;) {
    const attempt = await oneAttempt(run, workflow, place, { calls, history });
    if (attempt.status === "passed") {
      const next = await afterSuccess(run, workflow, step);
      finishStep(run, workflow, { place, result, attempt, history });
      return { next, passed: true };
    }
    const action = await failureAction(run, workflow, { step, retries });
    if (action?.type !== "retry") {
      const next = afterFailure(action, attempt, step);
      if (next.go === "step" || next.go === "workflow") result.handled = true;
      else noteError(run, step, attempt);
      finishStep(run, workflow, { place, result, attempt, history });
      return { next, passed: false };
    }
    history.add({ ...timesOf(attempt), outcome: "retry", because: action.name }, attempt.evidence);
    await beforeRetry(run, workflow, { action, attempt, retries, calls });
  }
}

function beginStep(run: Run, workflow: WorkflowRun, { step, at }: StepPlace): StepResult {
  run.budget.startStep();
  workflow.started.add(step.id);
  const named = workflow.name === undefined ? {} : { workflow: workflow.name };
  run.options.onStepStart?.({ id: step.id, phase: run.budget.phase, ...named });
  return {
    ...emptyResult(run, workflow, { step, at }),
    startedAt: isoTime(run.deps.clock.now()),
  };
}

/** A step's result before anything has happened. */
export function emptyResult(
  run: Pick<Run, "budget" | "known" | "prepared">,
  workflow: WorkflowRun,
  { step, at }: StepPlace,
): StepResult {
  return {
    id: step.id,
    phase: run.budget.phase,
    status: "skipped",
    ...(workflow.name === undefined ? {} : { workflow: workflow.name }),
    ...targetOf(run, step),
    ms: 0,
    attempts: [],
    assertions: [],
    contract: [],
    outputs: {},
    source: run.prepared.placeOf(at),
  };
}

function targetOf(
  run: Pick<Run, "known" | "prepared">,
  step: ProgramStep,
): Pick<StepResult, "operation" | "external" | "calls"> {
  const { target } = step;
  if (target.kind === "workflow") {
    return { calls: run.prepared.artifact.program.workflows[target.workflow]?.id ?? target.workflow };
  }
  if (target.kind === "external") {
    const url = run.known.redactor.clean(externalAddress(target.url));
    return { external: { method: target.method, url } };
  }
  const operation = operationOf(run.prepared, step);
  if (operation === undefined) return {};
  const { source, operationId, method, path } = operation;
  return { operation: { source, ...(operationId === undefined ? {} : { operationId }), method, path } };
}

/** One attempt, which is several requests where the step polls. */
function oneAttempt(
  run: Run,
  workflow: WorkflowRun,
  place: StepPlace,
  { calls, history }: { calls: Calls; history: AttemptHistory },
): Attempt | Promise<Attempt> {
  const { step } = place;
  const waiting = step.dependsOn.filter(
    (id) => workflow.ended.get(id)?.completed !== true && !run.log.completed.has(id),
  );
  if (waiting.length > 0) {
    const reason = `It depends on ${waiting.join(", ")}, which did not complete.`;
    return { status: "error", ms: 0, reason, assertions: [], contract: [], outputs: {} };
  }
  if (step.target.kind === "workflow") return calls.callWorkflow(workflow, place);
  if (step.poll === undefined) return sendAttempt(run, workflow, place);
  return pollUntilDone(run, workflow, place, { poll: step.poll, history });
}

async function sendAttempt(run: Run, workflow: WorkflowRun, place: StepPlace): Promise<Attempt> {
  const startedAt = isoTime(run.deps.clock.now());
  return { ...(await attemptRequest(run, workflow, place)), startedAt };
}

async function pollUntilDone(
  run: Run,
  workflow: WorkflowRun,
  place: StepPlace,
  { poll, history }: { poll: NonNullable<ProgramStep["poll"]>; history: AttemptHistory },
): Promise<Attempt> {
  const { step } = place;
  const { clock } = run.deps;
  const end = clock.monotonic() + poll.maxMs;
  for (;;) {
    const attempt = await sendAttempt(run, workflow, place);
    if (attempt.status === "error" || attempt.status === "timedOut") return attempt;
    const verdict = pollVerdict(step, workflow);
    if (verdict === "done") return attempt;
    if (verdict === "failed")
      return { ...attempt, status: "failed", reason: `Polling ended: ${poll.failWhen?.text ?? ""}` };
    if (clock.monotonic() + poll.everyMs > end) {
      return {
        ...attempt,
        status: "timedOut",
        reason: `After ${poll.maxMs} ms it was still not so: ${poll.until.text}`,
      };
    }
    history.add({ ...timesOf(attempt), outcome: "poll" }, attempt.evidence);
    await wait(run, poll.everyMs);
  }
}

async function afterSuccess(
  run: Pick<Run, "budget" | "deps" | "evaluator" | "options">,
  workflow: WorkflowRun,
  step: ProgramStep,
): Promise<Next> {
  for (const action of step.onSuccess) {
    if (!(await allHold(run, workflow, action.criteria))) continue;
    return action.type === "end" ? { go: "end", passed: true } : transfer(action);
  }
  return { go: "on" };
}

/** The first action whose criteria hold; a retry that is exhausted makes room for those after it. */
async function failureAction(
  run: Pick<Run, "budget" | "deps" | "evaluator" | "options">,
  workflow: WorkflowRun,
  { step, retries }: { step: ProgramStep; retries: Map<string, number> },
): Promise<ProgramAction | undefined> {
  for (const action of step.onFailure) {
    const used = action.type === "retry" ? (retries.get(action.name) ?? 0) : 0;
    if (action.type === "retry" && used >= (action.retryLimit ?? 1)) continue;
    if (await allHold(run, workflow, action.criteria)) return action;
  }
  return undefined;
}

function afterFailure(action: ProgramAction | undefined, attempt: Attempt, step: ProgramStep): Next {
  if (action?.type === "end") return { go: "end", passed: false };
  if (action !== undefined) return transfer(action);
  return {
    go: "stop",
    reason: attempt.status === "failed" ? `Step "${step.id}" failed.` : (attempt.reason ?? ""),
  };
}

function transfer(action: ProgramAction): Next {
  if (action.step !== undefined) return { go: "step", step: action.step };
  return { go: "workflow", action };
}

async function beforeRetry(
  run: Run,
  workflow: WorkflowRun,
  retry: { action: ProgramAction; attempt: Attempt; retries: Map<string, number>; calls: Calls },
): Promise<void> {
  const { action, attempt, retries, calls } = retry;
  retries.set(action.name, (retries.get(action.name) ?? 0) + 1);
  const total = [...retries.values()].reduce((sum, count) => sum + count, 0);
  if (total > run.budget.limits.retriesPerStep) {
    throw new RunAborted("limit", `One step was retried ${run.budget.limits.retriesPerStep} times.`);
  }
  const asked = retryAfterMs(attempt.retryAfter, run.deps.clock.now()) ?? action.retryAfterMs ?? 0;
  await wait(run, Math.min(asked, run.budget.limits.retryAfterMs));
  if (action.step !== undefined || action.workflow !== undefined) await calls.runBetween(workflow, action);
}

function noteError(run: Pick<Run, "budget" | "log">, step: ProgramStep, attempt: Attempt): void {
  if (run.budget.phase === "teardown" || attempt.error === undefined) return;
  run.log.fail({ ...attempt.error, step: step.id });
}

function finishStep(
  run: Pick<Run, "budget" | "known" | "log" | "options">,
  workflow: WorkflowRun,
  ending: { place: StepPlace; result: StepResult; attempt: Attempt; history: AttemptHistory },
): void {
  const { place, result, attempt, history } = ending;
  result.attempts = [...history.attempts, lastAttempt(attempt, history.attempts.length + 1)];
  result.status = attempt.status;
  result.ms = result.attempts.reduce((sum, { ms }) => sum + ms, 0);
  if (attempt.reason !== undefined) result.reason = attempt.reason;
  result.assertions = attempt.assertions;
  result.contract = attempt.contract.map((check) => cleanFields(run.known, check, ["pointer", "message"]));
  const deep = [...(attempt.deep ?? [])];
  result.outputs = shownRecord(run, attempt.outputs, (name) => deep.push(`output "${name}"`));
  const notes = [...(attempt.notes ?? []), ...noteOfDeep(deep), ...noteOfLeftOut(history.leftOut())];
  if (notes.length > 0) result.notes = run.known.redactor.clean(notes);
  if (attempt.evidence !== undefined) {
    result.evidence = history.evidenceWith(attempt.evidence, (exchange) =>
      cleanExchange(run.known, exchange),
    );
  }
  if (run.budget.phase === "main") run.log.countChecks(attempt.contract);
  const passed = attempt.status === "passed";
  // A failure that a goto leads on from has completed its step as well.
  const completed = passed || result.handled === true;
  if (completed) run.log.complete(foreignStepKey(workflow.key, place.step.id));
  workflow.ended.set(place.step.id, { at: run.budget.counters.steps, passed, completed });
  addResult(run, result);
}

/** A passed attempt needs no reason. */
function lastAttempt(attempt: Attempt, n: number): AttemptResult {
  const { status, reason } = attempt;
  const because = status === "passed" || reason === undefined ? {} : { because: reason };
  return { n, ...timesOf(attempt), outcome: status, ...because };
}

function timesOf({ ms, startedAt }: Attempt): Pick<AttemptResult, "ms" | "startedAt"> {
  return { ms, ...(startedAt === undefined ? {} : { startedAt }) };
}

function noteOfLeftOut(count: number): string[] {
  if (count === 0) return [];
  return [
    `The requests and responses of ${count} earlier attempts were left out. The number of a step is limited.`,
  ];
}

/** Records the result of a step and passes it to `onStep`. */
export function addResult(run: Pick<Run, "log" | "options">, result: StepResult): void {
  run.log.addResult(result);
  run.options.onStep?.(result);
}
