import type { Program, ProgramStep, ProgramWorkflow } from "../program/program.ts";
import type { AttemptResult, StepResult } from "../result/result-model.ts";
import { collectFaults, type Faults, type ResultFault, shown } from "./faults.ts";

/** A step of a result and the step of the program that it claims to be. */
export interface MatchedStep {
  result: StepResult;
  workflow: ProgramWorkflow;
  /** The workflow's key in the program. */
  key: string;
  index: number;
  step: ProgramStep;
}

/** The step of the program that a result's step is of, or what contradicts it. */
export function matchStep(
  program: Program,
  result: StepResult,
  path: string,
): MatchedStep | readonly ResultFault[] {
  const candidates = workflowsNamed(program, result.workflow).flatMap(([key, workflow]) => {
    const index = workflow.steps.findIndex(({ id }) => id === result.id);
    const step = workflow.steps[index];
    return step === undefined ? [] : [{ result, workflow, key, index, step }];
  });
  let faults: readonly ResultFault[] = [{ path: `${path}.id`, message: "is no step of the program" }];
  for (const candidate of candidates) {
    faults = stepFaults(program, candidate, path);
    if (faults.length === 0) return candidate;
  }
  return faults;
}

/** A step of a called workflow has the names of the workflows on the way to it, which may contain slashes themselves. */
function workflowsNamed(program: Program, name: string | undefined): [string, ProgramWorkflow][] {
  const all = Object.entries(program.workflows);
  if (name === undefined) return all.filter(([key]) => key === program.entry);
  return all.filter(([, { id }]) => name === id || name.endsWith(`/${id}`));
}

function stepFaults(program: Program, matched: MatchedStep, path: string): readonly ResultFault[] {
  const faults = collectFaults();
  const { result, step } = matched;
  checkTarget(program, matched, { path, faults });
  checkAssertions(matched, { path, faults });
  checkStatus(matched, { path, faults });
  for (const [at, attempt] of result.attempts.entries())
    checkAttempt(step, { attempt, at, isLast: at === result.attempts.length - 1 }, { path, faults });
  checkEarlier(result, { path, faults });
  for (const name of Object.keys(result.outputs)) {
    if (!Object.hasOwn(step.outputs, name))
      faults.add(`${path}.outputs`, `the step has no output ${shown(name)}`);
  }
  if (step.target.kind !== "operation" && result.contract.length > 0)
    faults.add(`${path}.contract`, "the step calls nothing that is described");
  return faults.list;
}

interface At {
  path: string;
  faults: Faults;
}

function checkTarget(program: Program, { result, step }: MatchedStep, { path, faults }: At): void {
  const { target } = step;
  const called = target.kind === "operation" ? program.operations[target.operation] : undefined;
  if (called === undefined) faults.same(`${path}.operation`, result.operation, undefined);
  else {
    const { source, operationId, method, path: template } = called;
    const claimed = result.operation;
    faults.same(
      `${path}.operation`,
      claimed && [claimed.source, claimed.operationId, claimed.method, claimed.path],
      [source, operationId, method, template],
    );
  }
  faults.same(
    `${path}.external.method`,
    result.external?.method,
    target.kind === "external" ? target.method : undefined,
  );
  const workflow = target.kind === "workflow" ? target.workflow : undefined;
  const id = workflow === undefined ? undefined : (program.workflows[workflow]?.id ?? workflow);
  faults.same(`${path}.calls`, result.calls, id);
}

function checkAssertions({ result, step }: MatchedStep, { path, faults }: At): void {
  const { assertions, status } = result;
  const isUndecided = status === "error" || status === "skipped";
  if (assertions.length === 0 && isUndecided) return;
  if (assertions.length !== step.criteria.length) {
    faults.add(`${path}.assertions`, `the step has ${step.criteria.length} criteria`);
    return;
  }
  for (const [at, criterion] of step.criteria.entries()) {
    const assertion = assertions[at];
    const place = `${path}.assertions[${at}]`;
    if (assertion === undefined) continue;
    faults.same(`${place}.id`, assertion.id, criterion.id ?? String(at + 1));
    faults.same(`${place}.type`, assertion.type, criterion.type);
    if (!isRedactedFrom(criterion.text, assertion.condition))
      faults.add(`${place}.condition`, `must be ${shown(criterion.text)}, as in the program`);
  }
}

/** Whether a text is the other one, apart from secrets in it. */
function isRedactedFrom(text: string, claimed: string): boolean {
  if (text === claimed) return true;
  const [first = "", ...rest] = claimed.split("[redacted]");
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Checks that the parts of a step agree with its status. */
function checkStatus({ result, step }: MatchedStep, { path, faults }: At): void {
  const { status, assertions, attempts, evidence, handled } = result;
  const verdicts = assertions.map((assertion) => assertion.status);
  const last = attempts.at(-1)?.outcome;
  const sends = step.target.kind !== "workflow";
  if (sends && verdicts.some((verdict) => verdict !== "notRun") && evidence?.response === undefined)
    faults.add(`${path}.assertions`, "were decided without a response");
  if (status === "passed") {
    if (verdicts.some((verdict) => verdict !== "passed"))
      faults.add(`${path}.status`, "has an assertion that did not pass");
    if (sends && evidence?.response === undefined) faults.add(`${path}.status`, "passed without a response");
  }
  if (status === "failed" && result.reason === undefined && !verdicts.includes("failed"))
    faults.add(`${path}.status`, "has neither a failed assertion nor a reason");
  if (status === "skipped" && (attempts.length > 0 || verdicts.some((verdict) => verdict !== "notRun")))
    faults.add(`${path}.status`, "has attempts or decided assertions");
  const mayLack = status === "skipped" || status === "error";
  if (last !== status && !(last === undefined && mayLack))
    faults.add(`${path}.attempts`, "don't end as the step");
  const isFailure = status !== "passed" && status !== "skipped";
  const canHandle = step.onFailure.some(({ type }) => type === "goto");
  if (handled === true && !(isFailure && canHandle && result.phase === "main"))
    faults.add(`${path}.handled`, "no action of the step handles this");
}

/** The exchanges of earlier attempts are in order, each of an attempt that another one follows. */
function checkEarlier({ attempts, evidence }: StepResult, { path, faults }: At): void {
  let last = 0;
  for (const [at, { attempt }] of (evidence?.earlier ?? []).entries()) {
    if (attempt <= last || attempt >= attempts.length)
      faults.add(`${path}.evidence.earlier[${at}].attempt`, "is no earlier attempt of the step, in order");
    last = attempt;
  }
}

function checkAttempt(
  step: ProgramStep,
  { attempt, at, isLast }: { attempt: AttemptResult; at: number; isLast: boolean },
  { path, faults }: At,
): void {
  const place = `${path}.attempts[${at}]`;
  const { n, outcome, because } = attempt;
  if (n !== at + 1) faults.add(`${place}.n`, `must be ${at + 1}`);
  const isEnd = outcome !== "retry" && outcome !== "poll";
  if (isEnd !== isLast) faults.add(`${place}.outcome`, isLast ? "is not the last one" : "is the last one");
  if (outcome === "poll" && step.poll === undefined) faults.add(`${place}.outcome`, "the step does not poll");
  if (outcome === "retry" && !step.onFailure.some(({ type, name }) => type === "retry" && name === because))
    faults.add(`${place}.because`, "is no retry of the step");
}
