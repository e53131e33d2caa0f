import { openness, propertiesOf } from "../document/input-schema.ts";
import type { Program } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";

/** The names of the inputs that a program describes or refers to: a schema need not list them. */
export function inputNames(program: Program): string[] {
  const schema = program.workflows[program.entry]?.inputs;
  const names = new Set(Object.keys(propertiesOf(schema) ?? {}));
  if (openness(schema) === "closed") return [...names];
  walkExpressions(program.workflows[program.entry], (expression) => {
    if (expression.kind === "inputs") names.add(expression.name);
  });
  return [...names];
}

/** Whether a program takes inputs of any name. */
export function takesAnyInput(program: Program): boolean {
  return openness(program.workflows[program.entry]?.inputs) === "open";
}
