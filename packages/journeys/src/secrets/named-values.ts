import type { Program, ProgramParameter, ProgramStep } from "../program/program.ts";
import { propertiesOf } from "../document/input-schema.ts";
import type { Expression, ValueNode } from "../expressions/ast.ts";

/** A value of a program that expressions refer to by name. */
export interface NamedValue {
  kind: "input" | "variable" | "stepOutput" | "workflowOutput";
  workflow: string;
  /** The id of the step, for a step's output. */
  step?: string;
  name: string;
}

/** The position of an expression, which determines what its names refer to. */
export interface Place {
  workflow: string;
  step?: ProgramStep;
}

/** A node that gives a value. */
export interface Definition {
  node: ValueNode;
  place: Place;
}

/** The named values of a program: what an expression refers to, and the nodes that define it. */
export interface NamedValues {
  /** The value and the pointer into it; undefined for a value without a name, such as a response. */
  resolve: (expression: Expression, place: Place) => { value: NamedValue; pointer: string[] } | undefined;
  definitionsOf: (value: NamedValue) => Definition[];
  /** Every value with every node that gives it. */
  all: () => Iterable<{ value: NamedValue; definition: Definition }>;
}

export function keyOf({ kind, workflow, step = "", name }: NamedValue): string {
  return `${kind}\n${workflow}\n${step}\n${name}`;
}

/** The scope in which names are looked up. */
interface Index {
  program: Program;
  steps: ReadonlyMap<string, ReadonlyMap<string, ProgramStep>>;
  inputs: ReadonlyMap<string, readonly string[]>;
  given: ReadonlyMap<string, ReadonlyMap<string, Definition[]>>;
}

export function namedValuesOf(program: Program): NamedValues {
  const steps = new Map<string, Map<string, ProgramStep>>();
  const inputs = new Map<string, string[]>();
  for (const [key, workflow] of Object.entries(program.workflows)) {
    steps.set(key, new Map(workflow.steps.map((step) => [step.id, step])));
    inputs.set(key, Object.keys(propertiesOf(workflow.inputs) ?? {}));
  }
  const given = givenInputs(program);
  const index = { program, steps, inputs, given };
  return {
    resolve: (expression, place) => resolve(index, expression, place),
    definitionsOf: (value) => definitionsOf(index, value),
    all: () => allValues(program, given),
  };
}

function resolve(
  { program, steps, inputs }: Index,
  expression: Expression,
  { workflow, step }: Place,
): ReturnType<NamedValues["resolve"]> {
  switch (expression.kind) {
    case "inputs":
      return named({ kind: "input", workflow }, inputs.get(workflow) ?? [], expression);
    case "vars": {
      const names = Object.keys(program.workflows[workflow]?.vars ?? {});
      return named({ kind: "variable", workflow }, names, expression);
    }
    case "step": {
      const names = Object.keys(steps.get(workflow)?.get(expression.step)?.outputs ?? {});
      const { output: name, pointer = [] } = expression;
      return named({ kind: "stepOutput", workflow, step: expression.step }, names, { name, pointer });
    }
    case "workflow": {
      const { workflow: other, field } = expression;
      if (field === "inputs")
        return named({ kind: "input", workflow: other }, inputs.get(other) ?? [], expression);
      const names = Object.keys(program.workflows[other]?.outputs ?? {});
      return named({ kind: "workflowOutput", workflow: other }, names, expression);
    }
    case "outputs": {
      // In a step that calls a workflow, these are the outputs of that workflow.
      const called = step?.target.kind === "workflow" ? step.target.workflow : workflow;
      const names = Object.keys(program.workflows[called]?.outputs ?? {});
      return named({ kind: "workflowOutput", workflow: called }, names, expression);
    }
    default:
      return undefined;
  }
}

function named(
  value: Omit<NamedValue, "name">,
  names: readonly string[],
  expression: NameAndPointer,
): { value: NamedValue; pointer: string[] } {
  const [name, ...rest] = splitName(names, expression.name);
  return { value: { ...value, name: name ?? "" }, pointer: [...rest, ...(expression.pointer ?? [])] };
}

function definitionsOf({ program, steps, given }: Index, value: NamedValue): Definition[] {
  const { kind, workflow, name } = value;
  if (kind === "input") return given.get(workflow)?.get(name) ?? [];
  if (kind === "variable") return [];
  const step = kind === "stepOutput" ? steps.get(workflow)?.get(value.step ?? "") : undefined;
  const outputs = kind === "stepOutput" ? step?.outputs : program.workflows[workflow]?.outputs;
  const node = outputs !== undefined && Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  return node === undefined ? [] : [{ node, place: { workflow, ...(step === undefined ? {} : { step }) } }];
}

interface NameAndPointer {
  name: string;
  pointer?: string[];
}

/** A name may be followed by properties of its value; the longest name that exists wins. */
function splitName(names: readonly string[], wanted: string): string[] {
  if (names.includes(wanted) || !wanted.includes(".")) return [wanted];
  const parts = wanted.split(".");
  for (let length = parts.length - 1; length > 0; length--) {
    const name = parts.slice(0, length).join(".");
    if (names.includes(name)) return [name, ...parts.slice(length)];
  }
  return [wanted];
}

/** The values that callers pass, by workflow and input. */
function givenInputs(program: Program): Map<string, Map<string, Definition[]>> {
  const given = new Map<string, Map<string, Definition[]>>();
  const give = (workflow: string, name: string, definition: Definition) => {
    let inputs = given.get(workflow);
    if (inputs === undefined) given.set(workflow, (inputs = new Map()));
    inputs.set(name, [...(inputs.get(name) ?? []), definition]);
  };
  const giveAll = (workflow: string, parameters: readonly ProgramParameter[], place: Place) => {
    for (const { name, value } of parameters) give(workflow, name, { node: value, place });
  };
  for (const [key, workflow] of Object.entries(program.workflows)) {
    // The dependencies of a workflow get the same inputs.
    for (const other of workflow.dependsOn) {
      const names = Object.keys(propertiesOf(program.workflows[other]?.inputs) ?? {});
      for (const name of names)
        give(other, name, { node: { expr: { kind: "inputs", name } }, place: { workflow: key } });
    }
    for (const step of workflow.steps) {
      const place = { workflow: key, step };
      if (step.target.kind === "workflow") giveAll(step.target.workflow, step.parameters, place);
      for (const action of [...step.onSuccess, ...step.onFailure]) {
        if (action.workflow !== undefined) giveAll(action.workflow, action.parameters, place);
      }
    }
  }
  return given;
}

function* allValues(
  program: Program,
  given: ReadonlyMap<string, ReadonlyMap<string, Definition[]>>,
): Iterable<{ value: NamedValue; definition: Definition }> {
  for (const [key, workflow] of Object.entries(program.workflows)) {
    for (const step of workflow.steps) {
      for (const [name, node] of Object.entries(step.outputs)) {
        yield {
          value: { kind: "stepOutput", workflow: key, step: step.id, name },
          definition: { node, place: { workflow: key, step } },
        };
      }
    }
    for (const [name, node] of Object.entries(workflow.outputs)) {
      yield {
        value: { kind: "workflowOutput", workflow: key, name },
        definition: { node, place: { workflow: key } },
      };
    }
  }
  for (const [workflow, inputs] of given) {
    for (const [name, definitions] of inputs) {
      for (const definition of definitions) yield { value: { kind: "input", workflow, name }, definition };
    }
  }
}
