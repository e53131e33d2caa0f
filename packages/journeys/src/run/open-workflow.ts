import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { createFunctionContext } from "./function-context.ts";
import { learnValues } from "./learn-secrets.ts";
import { nowhere } from "./limits.ts";
import type { Run, WorkflowRun } from "./state.ts";
import { makeVariables } from "./variables.ts";

/** The state of a workflow before its first step. */
export function openWorkflow(
  run: Run,
  call: { key: string; inputs: Record<string, unknown>; depth: number; name?: string },
): WorkflowRun {
  const { program: whole } = run.prepared.artifact;
  const program = whole.workflows[call.key];
  if (program === undefined) throw nowhere(`workflow "${call.key}"`);
  const stepOutputs: WorkflowRun["stepOutputs"] = new Map();
  run.log.keepWorkflow(call.key, { inputs: call.inputs, outputs: {} });
  const { clock } = run.deps;
  const number = run.budget.startWorkflow();
  const seed = `${run.seed}:vars:${number}`;
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
      workflows: run.log.workflows,
      sources: new Map(Object.entries(whole.sources)),
      hide: run.known.shield.hide,
      cut: run.known.redactor.cut,
      functions: createFunctionContext(run, program, number),
    },
  };
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
export function pointerOf({ pointers: known }: WorkflowRun, index: number): string {
  return known[index] ?? "";
}
