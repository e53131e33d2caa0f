import type { Evaluator } from "../evaluation/evaluator.ts";
import type { MainOutcome, Place } from "../checkpoint/checkpoint.ts";
import { leaveCheckpoint, RunLeft } from "./take-checkpoint.ts";
import type { ProgramAction, ProgramParameter, ProgramStep } from "../program/program.ts";
import { evaluateValue } from "../expressions/evaluate.ts";
import { learnValues } from "./learn-secrets.ts";
import { evaluateAssertions, unevaluated } from "./assertions.ts";
import { outputsOf, verdictOf } from "./attempt.ts";
import type { Attempt, StepPlace } from "./attempt.ts";
import { resolveInputs } from "./inputs.ts";
import { asAbort, nowhere, RunAborted } from "./limits.ts";
import { openWorkflow, pointerOf } from "./open-workflow.ts";
import { evaluateOutputs } from "./outputs.ts";
import { placeAfter, stepAt } from "./place.ts";
import { planStep } from "./plan-step.ts";
import { applySelectors } from "./selectors.ts";
import type { MutableScope, Run, WorkflowRun, WorkflowStatus } from "./state.ts";
import { addResult, emptyResult, runStep } from "./step.ts";
import type { Calls } from "./step.ts";
import { runTeardown } from "./teardown.ts";

/** The outcome of a workflow. */
export interface WorkflowOutcome {
  status: WorkflowStatus;
  reason?: string;
  outputs: Record<string, unknown>;
  /** Its scope at the end: the calling step can refer to the last response. */
  scope: MutableScope;
}

/** Runs a workflow with complete inputs: its dependencies, its steps, its outputs, and always its teardown. */
export async function runWorkflow(
  run: Run,
  call: { key: string; inputs: Record<string, unknown>; depth: number; name?: string },
): Promise<WorkflowOutcome> {
  if (call.depth > run.budget.limits.depth) {
    throw new RunAborted("limit", `Workflows call each other more than ${run.budget.limits.depth} deep.`);
  }
  const workflow = openWorkflow(run, call);
  const resumed = call.depth === 0 ? run.resumed : undefined;
  const place = resumed?.restore(run, workflow) ?? stepAt(workflow.program, 0);
  const ended =
    place.at === "teardown"
      ? { main: place.main, scope: workflow.scope }
      : await runMain(run, workflow, { place, only: resumed?.only });
  if (place.at !== "teardown" && workflow.program.teardown.length > 0)
    await leaveCheckpoint(run, workflow, { at: "teardown", next: 0, main: ended.main });
  const next = place.at === "teardown" ? place.next : 0;
  if (!leavesOutTeardown(run, workflow))
    await runTeardown(run, workflow, { calls: callsOf(run), next, main: ended.main });
  const { aborted, ...outcome } = ended.main;
  if ("thrown" in ended) throw ended.thrown;
  if (aborted !== undefined) throw new RunAborted(aborted.code, aborted.message);
  return { ...outcome, scope: ended.scope };
}

function leavesOutTeardown({ until }: Pick<Run, "until">, { depth }: WorkflowRun): boolean {
  return until !== undefined && (until.isDry || (until.keep && depth === 0));
}

type Ended = { main: MainOutcome; scope: MutableScope; thrown?: unknown };

/** The main phase of a workflow from a place on. An error that ends it is thrown after the teardown. */
async function runMain(
  run: Run,
  workflow: WorkflowRun,
  { place, only }: { place: Exclude<Place, { at: "teardown" }>; only: "teardown" | undefined },
): Promise<Ended> {
  const { scope } = workflow;
  if (only === "teardown" && place.at !== "end") {
    const message = "The runner was lost in the journey: only its teardown was run.";
    run.log.fail({ code: "runner-lost", message });
    skipRest(run, workflow, message);
    return { main: { status: "error", outputs: {} }, scope };
  }
  try {
    const { scope: last, ...main } = await runSteps(run, workflow, place);
    skipRest(run, workflow, main.reason);
    return { main, scope: last };
  } catch (error) {
    if (error instanceof RunLeft) throw error;
    skipRest(run, workflow, "The run was aborted.");
    const aborted = error instanceof RunAborted ? { code: error.code, message: error.message } : undefined;
    const main: MainOutcome = { status: "error", outputs: {}, ...(aborted === undefined ? {} : { aborted }) };
    return { main, scope, thrown: error };
  }
}

async function runSteps(
  run: Run,
  workflow: WorkflowRun,
  from: Exclude<Place, { at: "teardown" }>,
): Promise<WorkflowOutcome> {
  const failed = await runDependencies(run, workflow);
  if (failed !== undefined) return { status: "failed", reason: failed, outputs: {}, scope: workflow.scope };
  let place: Place = from;
  while (place.at === "step") {
    const { index }: { index: number } = place;
    const step = workflow.program.steps[index];
    if (step === undefined) throw nowhere(`step ${index}`);
    const runOrPlan = run.until?.isDry === true ? planStep : runStep;
    const came = await runOrPlan(run, workflow, { step, at: pointerOf(workflow, index) }, callsOf(run));
    place = placeAfter(workflow.program, { step, index }, came);
    await leaveCheckpoint(run, workflow, place);
    if (workflow.depth === 0 && run.until?.step === step.id) {
      const reason = `The try ends with step "${step.id}".`;
      return { status: came.passed ? "passed" : "failed", reason, outputs: {}, scope: workflow.scope };
    }
  }
  if (place.at === "transfer") return transferTo(run, workflow, place);
  if (place.at === "teardown") throw new Error("the steps have not ended");
  const { at: _, ...outcome } = place;
  return { ...outcome, outputs: await workflowOutputs(run, workflow), scope: workflow.scope };
}

/** Runs the workflows that this one depends on, each once per run. Returns the reason if this one can't run. */
async function runDependencies(run: Run, workflow: WorkflowRun): Promise<string | undefined> {
  for (const key of workflow.program.dependsOn) {
    if (run.log.workflows.has(key)) continue;
    const outcome = await callByKey(run, workflow, { key, inputs: { ...workflow.scope.inputs } });
    if (outcome.status !== "passed") return `It depends on the workflow "${key}", which did not pass.`;
  }
  return undefined;
}

/** A one-way transfer: the outcome of the other workflow is the outcome of this one. */
async function transferTo(
  run: Run,
  workflow: WorkflowRun,
  { step, after, action: name }: Extract<Place, { at: "transfer" }>,
): Promise<WorkflowOutcome> {
  const from = workflow.program.steps.find(({ id }) => id === step);
  const action = from?.[after].find((candidate) => candidate.name === name);
  const inputs = await inputsFrom(run.evaluator, workflow, action?.parameters ?? []);
  const outcome = await callByKey(run, workflow, { key: action?.workflow ?? "", inputs });
  return { ...outcome, outputs: { ...(await workflowOutputs(run, workflow)), ...outcome.outputs } };
}

async function workflowOutputs(run: Run, workflow: WorkflowRun): Promise<Record<string, unknown>> {
  const given = { owner: workflow.key, nodes: workflow.program.outputs };
  const outputs = await evaluateOutputs(run, workflow, given).catch((error: unknown) => {
    throw asAbort(error);
  });
  learnValues(run, { kind: "workflowOutput", workflow: workflow.key }, outputs);
  run.log.keepWorkflow(workflow.key, { inputs: { ...workflow.scope.inputs }, outputs });
  return outputs;
}

function callsOf(run: Run): Calls {
  return {
    callWorkflow: (workflow, place) => callFromStep(run, workflow, place),
    runBetween: (workflow, action) => runBetween(run, workflow, action),
  };
}

/** A step that calls a workflow: `$outputs` in its criteria and outputs are those of the called workflow. */
async function callFromStep(run: Run, workflow: WorkflowRun, { step, at }: StepPlace): Promise<Attempt> {
  const start = run.deps.clock.monotonic();
  const key = step.target.kind === "workflow" ? step.target.workflow : "";
  const outcome = await withinStep(run, step, () =>
    inputsFrom(run.evaluator, workflow, step.parameters).then((inputs) =>
      callByKey(run, workflow, { key, inputs }),
    ),
  );
  const ms = run.deps.clock.monotonic() - start;
  if (outcome === "timedOut") {
    const reason = `The workflow did not end within ${step.timeoutMs} ms.`;
    const assertions = unevaluated(run, step.criteria, at);
    return { status: "timedOut", ms, reason, assertions, contract: [], outputs: {} };
  }
  const { scope } = workflow;
  const own = scope.outputs;
  scope.outputs = outcome.outputs;
  const { url, method, statusCode, request, response } = outcome.scope;
  Object.assign(scope, { url, method, statusCode, request, response });
  const { outputs, problem } = await outputsOf(run, workflow, step);
  workflow.stepOutputs.set(step.id, { outputs });
  const called = run.prepared.artifact.program.workflows[key]?.id ?? key;
  if (outcome.status !== "passed") {
    scope.outputs = own;
    const reason = `The workflow "${called}" did not pass.`;
    const assertions = unevaluated(run, step.criteria, at);
    return { status: "failed", ms, reason, assertions, contract: [], outputs };
  }
  const { assertions, deep } = await evaluateAssertions(run, workflow, step.criteria, at);
  scope.outputs = own;
  return { ...verdictOf(assertions, problem), ms, assertions, contract: [], outputs, deep };
}

/** The step's timeout limits the called workflow, unless the run ends earlier. */
async function withinStep(
  run: Pick<Run, "budget" | "deps">,
  step: ProgramStep,
  work: () => Promise<WorkflowOutcome>,
): Promise<WorkflowOutcome | "timedOut"> {
  const before = run.budget.deadline;
  const { clock } = run.deps;
  const own = step.timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + step.timeoutMs;
  if (own >= before) return work();
  try {
    return await run.budget.within(own, work);
  } catch (error) {
    const now = clock.monotonic();
    if (error instanceof RunAborted && error.code === "limit" && now >= own && now < before)
      return "timedOut";
    throw error;
  }
}

async function callByKey(
  run: Run,
  workflow: WorkflowRun,
  call: { key: string; inputs: Record<string, unknown> },
): Promise<WorkflowOutcome> {
  const program = run.prepared.artifact.program.workflows[call.key];
  if (program === undefined) throw nowhere(`workflow "${call.key}"`);
  const resolved = await resolveInputs(program, call.inputs, {
    resolveSecret: run.deps.resolveSecret,
    schemas: run.prepared.schemas,
    evaluator: run.evaluator,
    shield: run.known.shield,
    isEntry: false,
  });
  if (resolved.problem !== undefined) {
    run.log.fail({ ...resolved.problem, message: run.known.redactor.clean(resolved.problem.message) });
    return { status: "error", reason: resolved.problem.message, outputs: {}, scope: workflow.scope };
  }
  run.known.add(resolved.secrets);
  learnValues(run, { kind: "input", workflow: call.key }, resolved.values);
  run.known.addReferences(resolved.references);
  return runWorkflow(run, {
    key: call.key,
    inputs: resolved.values,
    depth: workflow.depth + 1,
    name: workflow.name === undefined ? program.id : `${workflow.name}/${program.id}`,
  });
}

async function inputsFrom(
  evaluator: Evaluator,
  { scope }: WorkflowRun,
  parameters: readonly ProgramParameter[],
): Promise<Record<string, unknown>> {
  const inputs: Record<string, unknown> = {};
  const values = parameters.map(({ value }) => value);
  try {
    const selected = await applySelectors(values, scope, evaluator);
    for (const { name, value } of parameters) {
      const given = evaluateValue(value, scope, selected);
      if (given !== undefined) inputs[name] = given;
    }
  } catch (error) {
    throw asAbort(error);
  }
  return inputs;
}

/** Runs what a retry requests between two attempts. Its actions are ignored: control returns to the retry. */
async function runBetween(run: Run, workflow: WorkflowRun, action: ProgramAction): Promise<void> {
  if (action.workflow !== undefined) {
    const inputs = await inputsFrom(run.evaluator, workflow, action.parameters);
    await callByKey(run, workflow, { key: action.workflow, inputs });
    return;
  }
  const index = workflow.program.steps.findIndex(({ id }) => id === action.step);
  const step = workflow.program.steps[index];
  if (step === undefined) throw nowhere(`step "${action.step ?? ""}" to retry after`);
  const once = { ...step, onSuccess: [], onFailure: [] };
  await runStep(run, workflow, { step: once, at: pointerOf(workflow, index) }, callsOf(run));
}

/** Steps that never ran are in the result, with the reason. */
function skipRest(run: Run, workflow: WorkflowRun, reason: string | undefined): void {
  for (const [index, step] of workflow.program.steps.entries()) {
    if (workflow.started.has(step.id)) continue;
    const at = pointerOf(workflow, index);
    const result = emptyResult(run, workflow, { step, at });
    result.reason = run.known.redactor.clean(reason ?? "The workflow went another way.");
    result.assertions = unevaluated(run, step.criteria, at);
    addResult(run, result);
  }
}
