import type { Program } from "../program/program.ts";
import type { JourneyResult } from "../result/result-model.ts";
import type { Faults } from "./faults.ts";
import type { MatchedStep } from "./verify-step.ts";

interface Verified {
  result: JourneyResult;
  steps: readonly MatchedStep[];
}

/** Whether the status of a run and of its teardown are what its steps amount to. */
export function verifyStatus(program: Program, { result, steps }: Verified, faults: Faults): void {
  const { status, error } = result;
  const isAborted = error?.code === "limit" || error?.code === "cancelled";
  if ((status === "passed" || status === "failed") && error !== undefined)
    faults.add("error", `a run that ${status} has none`);
  if ((status === "error" || status === "aborted") && error === undefined)
    faults.add("error", "must say why the run could not be completed");
  if (status === "aborted" && error !== undefined && !isAborted)
    faults.add("status", "only a limit or a cancellation aborts a run");
  const why = status === "passed" ? whyNotPassed(program, { result, steps }) : undefined;
  if (why !== undefined) faults.add("status", why);
  if (status === "failed" && !mayHaveFailed({ result, steps }))
    faults.add("status", "must be passed: that is what the steps say");
  if (status === "passed" || status === "failed") checkComplete(program, steps, faults);
  const teardown = teardownStatus(steps);
  if (result.teardown.status !== teardown)
    faults.add("teardown.status", `must be ${teardown}: that is what the steps say`);
}

const main = ({ result }: MatchedStep) => result.phase === "main";
const isOwn = ({ result }: MatchedStep) => result.workflow === undefined;
const hasRun = ({ result }: MatchedStep) => result.status !== "skipped";
const hasFailed = ({ result }: MatchedStep) => result.status !== "skipped" && result.status !== "passed";

function whyNotPassed(program: Program, { result, steps }: Verified): string | undefined {
  const ran = steps.filter(main).filter(hasRun);
  if (ran.length === 0) return "no step has run";
  const open = ran
    .filter(hasFailed)
    .filter((step) => step.result.handled !== true && !isBetweenRetries(step));
  if (open.some(isOwn)) return "a step failed, and nothing handled that";
  // A failure of a called workflow is its caller's too, unless it was called between two attempts.
  const own = ran.filter(isOwn);
  const isAccounted = own.some((step) => hasFailed(step) || step.result.attempts.length > 1);
  if (open.length > 0 && !isAccounted) return "a step of a called workflow failed, and its caller did not";
  const entry = program.workflows[program.entry];
  if (entry !== undefined && entry.steps.length > 0 && own.length === 0) return "no step of its own has run";
  if (result.contract.strict && result.contract.failures > 0)
    return "a response contradicted its description, and the run was strict";
  return undefined;
}

/** A step that runs before a retry of another one: its own failure changes nothing. */
function isBetweenRetries({ workflow, step }: MatchedStep): boolean {
  return workflow.steps.some(({ onFailure }) =>
    onFailure.some((action) => action.type === "retry" && action.step === step.id),
  );
}

function mayHaveFailed({ result, steps }: Verified): boolean {
  const ran = steps.filter(main).filter(hasRun);
  return ran.length === 0 || ran.some(hasFailed) || (result.contract.strict && result.contract.failures > 0);
}

/** A run that was not broken off tells of every step of its workflow. */
function checkComplete(program: Program, steps: readonly MatchedStep[], faults: Faults): void {
  const told = new Set(
    steps
      .filter(main)
      .filter(isOwn)
      .map(({ step }) => step.id),
  );
  const missing = program.workflows[program.entry]?.steps.find(({ id }) => !told.has(id));
  if (missing !== undefined) faults.add("steps", `the step "${missing.id}" is missing`);
}

function teardownStatus(steps: readonly MatchedStep[]): JourneyResult["teardown"]["status"] {
  const torn = steps.filter(({ result }) => result.phase === "teardown");
  const entries = torn.filter(({ workflow, step }) =>
    workflow.teardown.some((entry) => entry.step === step.id),
  );
  if (entries.length === 0) return "none";
  return entries.some(hasFailed) ? "failed" : "passed";
}
