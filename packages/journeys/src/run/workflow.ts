import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { ProgramAction, ProgramParameter, ProgramStep, ProgramWorkflow } from "../compile/program.ts";
import { evaluateValue } from "../expressions/evaluate.ts";
import { learnValues } from "../secrets/learn.ts";
import { evaluateAssertions, unevaluated } from "./assertions.ts";
import { evaluateOutputs } from "./attempt.ts";
import type { Attempt, StepPlace } from "./attempt.ts";
import { resolveInputs } from "./inputs.ts";
import { RunAborted } from "./limits.ts";
import { selectWith } from "./selectors.ts";
import type { MutableScope, Next, Run, WorkflowRun, WorkflowStatus } from "./state.ts";
import { addResult, emptyResult, runStep } from "./step.ts";
import type { Calls } from "./step.ts";
import { runTeardown } from "./teardown.ts";
import { makeVariables } from "./variables.ts";

/** What a workflow came to. */
export interface WorkflowOutcome {
  status: WorkflowStatus;
  reason?: string;
  outputs: Record<string, unknown>;
  /** Its scope as it was at the end: a step that called it may ask for the last response. */
  scope: MutableScope;
}

/** Runs a workflow with inputs that are complete: what it depends on, its steps, its outputs, and always its teardown. */
export async function runWorkflow(
  run: Run,
  call: { key: string; inputs: Record<string, unknown>; depth: number; name?: string },
): Promise<WorkflowOutcome> {
  if (call.depth > run.limits.depth) {
    throw new RunAborted("limit", `Workflows call each other more than ${run.limits.depth} deep.`);
  }
  const workflow = openWorkflow(run, call);
  let outcome: WorkflowOutcome | undefined;
  let aborted: unknown;
  try {
    outcome = await runSteps(run, workflow);
  } catch (error) {
    aborted = error;
  }
  skipRest(run, workflow, aborted === undefined ? outcome?.reason : "The run was aborted.");
  await runTeardown(run, workflow, callsOf(run));
  if (aborted !== undefined) throw aborted;
  return outcome ?? { status: "error", outputs: {}, scope: workflow.scope };
}

function openWorkflow(
  run: Run,
  call: { key: string; inputs: Record<string, unknown>; depth: number; name?: string },
): WorkflowRun {
  const { program: whole } = run.prepared.artifact;
  const program = whole.workflows[call.key];
  if (program === undefined) throw new Error(`the program has no workflow "${call.key}"`);
  const stepOutputs: WorkflowRun["stepOutputs"] = new Map();
  run.workflows.set(call.key, { inputs: call.inputs, outputs: {} });
  const { clock } = run.deps;
  const seed = `${run.seed}:vars:${run.counters.workflows++}`;
  const vars = makeVariables(program.vars, seed, () => clock.now());
  learnValues(run, { kind: "variable", workflow: call.key }, vars);
  return {
    key: call.key,
    program,
    pointers: pointersOf(program, call.key),
    name: call.name,
    depth: call.depth,
    stepOutputs,
    ended: new Map(),
    started: new Set(),
    scope: {
      self: whole.self,
      inputs: call.inputs,
      outputs: {},
      vars,
      steps: stepOutputs,
      workflows: run.workflows,
      sources: new Map(Object.entries(whole.sources)),
    },
  };
}

async function runSteps(run: Run, workflow: WorkflowRun): Promise<WorkflowOutcome> {
  const failed = await runDependencies(run, workflow);
  if (failed !== undefined) return { status: "failed", reason: failed, outputs: {}, scope: workflow.scope };
  const { steps } = workflow.program;
  let index = 0;
  let status: WorkflowStatus = "passed";
  let reason: string | undefined;
  while (index < steps.length) {
    const step = steps[index];
    if (step === undefined) break;
    const { next, passed } = await runStep(
      run,
      workflow,
      { step, at: pointerOf(workflow, index) },
      callsOf(run),
    );
    if (next.go === "on") {
      index++;
      continue;
    }
    if (next.go === "step") {
      index = steps.findIndex(({ id }) => id === next.step);
      if (index >= 0) continue;
      status = "failed";
      reason = `There is no step "${next.step}" to go to.`;
      break;
    }
    if (next.go === "workflow") return transferTo(run, workflow, next);
    if (!passed) status = "failed";
    reason = next.go === "stop" ? next.reason : `Step "${step.id}" ended the workflow.`;
    break;
  }
  const outputs = workflowOutputs(run, workflow);
  return { status, ...(reason === undefined ? {} : { reason }), outputs, scope: workflow.scope };
}

/** Workflows that must be complete first; each runs once in a run. Gives the reason why this one can't run. */
async function runDependencies(run: Run, workflow: WorkflowRun): Promise<string | undefined> {
  for (const key of workflow.program.dependsOn) {
    if (run.workflows.has(key)) continue;
    const outcome = await callByKey(run, workflow, { key, inputs: { ...workflow.scope.inputs } });
    if (outcome.status !== "passed") return `It depends on the workflow "${key}", which did not pass.`;
  }
  return undefined;
}

/** A one-way transfer: what the other workflow comes to is what this one comes to. */
async function transferTo(
  run: Run,
  workflow: WorkflowRun,
  next: Extract<Next, { go: "workflow" }>,
): Promise<WorkflowOutcome> {
  const inputs = inputsFrom(run, workflow, next.parameters);
  const outcome = await callByKey(run, workflow, { key: next.workflow, inputs });
  return { ...outcome, outputs: { ...workflowOutputs(run, workflow), ...outcome.outputs } };
}

function workflowOutputs(run: Run, workflow: WorkflowRun): Record<string, unknown> {
  const outputs: Record<string, unknown> = {};
  for (const [name, node] of Object.entries(workflow.program.outputs)) {
    outputs[name] = evaluateValue(node, workflow.scope, selectWith(run.prepared.engines)) ?? null;
  }
  learnValues(run, { kind: "workflowOutput", workflow: workflow.key }, outputs);
  run.workflows.set(workflow.key, { inputs: { ...workflow.scope.inputs }, outputs });
  return outputs;
}

function callsOf(run: Run): Calls {
  return {
    callWorkflow: (workflow, place) => callFromStep(run, workflow, place),
    runBetween: (workflow, action) => runBetween(run, workflow, action),
  };
}

/** A step that is a call of a workflow: `$outputs` in its criteria and outputs are the called workflow's. */
async function callFromStep(run: Run, workflow: WorkflowRun, { step, at }: StepPlace): Promise<Attempt> {
  const start = run.deps.clock.monotonic();
  const key = step.target.kind === "workflow" ? step.target.workflow : "";
  const outcome = await withinStep(run, step, () =>
    callByKey(run, workflow, { key, inputs: inputsFrom(run, workflow, step.parameters) }),
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
  const outputs = evaluateOutputs(run, workflow, step);
  workflow.stepOutputs.set(step.id, { outputs });
  const called = run.prepared.artifact.program.workflows[key]?.id ?? key;
  const reason = outcome.status === "passed" ? undefined : `The workflow "${called}" did not pass.`;
  const assertions =
    reason === undefined
      ? evaluateAssertions(run, workflow, step.criteria, at)
      : unevaluated(run, step.criteria, at);
  scope.outputs = own;
  const passed = reason === undefined && assertions.every(({ status }) => status === "passed");
  return {
    status: passed ? "passed" : "failed",
    ms,
    ...(reason === undefined ? {} : { reason }),
    assertions,
    contract: [],
    outputs,
  };
}

/** The step's own time bounds the workflow that it calls, as far as the run's doesn't end before. */
async function withinStep(
  run: Run,
  step: ProgramStep,
  work: () => Promise<WorkflowOutcome>,
): Promise<WorkflowOutcome | "timedOut"> {
  const before = run.deadline;
  const { clock } = run.deps;
  const own = step.timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + step.timeoutMs;
  if (own >= before) return work();
  run.deadline = own;
  try {
    return await work();
  } catch (error) {
    const now = clock.monotonic();
    if (error instanceof RunAborted && error.code === "limit" && now >= own && now < before)
      return "timedOut";
    throw error;
  } finally {
    run.deadline = before;
  }
}

async function callByKey(
  run: Run,
  workflow: WorkflowRun,
  call: { key: string; inputs: Record<string, unknown> },
): Promise<WorkflowOutcome> {
  const program = run.prepared.artifact.program.workflows[call.key];
  if (program === undefined) throw new Error(`the program has no workflow "${call.key}"`);
  const resolved = await resolveInputs(program, call.inputs, {
    resolveSecret: run.deps.resolveSecret,
    schemas: run.prepared.schemas,
  });
  if (resolved.problem !== undefined) {
    run.error ??= { ...resolved.problem, message: run.redactor.clean(resolved.problem.message) };
    return { status: "error", reason: resolved.problem.message, outputs: {}, scope: workflow.scope };
  }
  run.addSecrets(resolved.secrets);
  learnValues(run, { kind: "input", workflow: call.key }, resolved.values);
  return runWorkflow(run, {
    key: call.key,
    inputs: resolved.values,
    depth: workflow.depth + 1,
    name: workflow.name === undefined ? program.id : `${workflow.name}/${program.id}`,
  });
}

function inputsFrom(
  run: Run,
  workflow: WorkflowRun,
  parameters: readonly ProgramParameter[],
): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const { name, value } of parameters) {
    const given = evaluateValue(value, workflow.scope, selectWith(run.prepared.engines));
    if (given !== undefined) inputs[name] = given;
  }
  return inputs;
}

/** What a retry asks for between two attempts. Its own actions lead nowhere: control comes back to the retry. */
async function runBetween(run: Run, workflow: WorkflowRun, action: ProgramAction): Promise<void> {
  if (action.workflow !== undefined) {
    await callByKey(run, workflow, {
      key: action.workflow,
      inputs: inputsFrom(run, workflow, action.parameters),
    });
    return;
  }
  const index = workflow.program.steps.findIndex(({ id }) => id === action.step);
  const step = workflow.program.steps[index];
  if (step === undefined) return;
  const once = { ...step, onSuccess: [], onFailure: [] };
  await runStep(run, workflow, { step: once, at: pointerOf(workflow, index) }, callsOf(run));
}

/** Steps that never ran are told as such, with the reason. */
function skipRest(run: Run, workflow: WorkflowRun, reason: string | undefined): void {
  for (const [index, step] of workflow.program.steps.entries()) {
    if (workflow.started.has(step.id)) continue;
    const at = pointerOf(workflow, index);
    const result = emptyResult(run, workflow, { step, at });
    result.reason = run.redactor.clean(reason ?? "The workflow went another way.");
    result.assertions = unevaluated(run, step.criteria, at);
    addResult(run, result);
  }
}

const pointers = new WeakMap<ProgramWorkflow, string[]>();

function pointersOf(program: ProgramWorkflow, key: string): string[] {
  let list = pointers.get(program);
  if (list === undefined) {
    list = program.steps.map((_, index) => encodePointer(["workflows", key, "steps", index]));
    pointers.set(program, list);
  }
  return list;
}

/** The pointer of a step in the program. */
function pointerOf({ pointers: known }: WorkflowRun, index: number): string {
  return known[index] ?? "";
}
