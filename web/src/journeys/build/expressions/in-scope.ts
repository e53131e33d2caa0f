import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { namesIn } from "../text/names.ts";
import { textsIn } from "../visual/references.ts";
import { CALLS, EXCHANGE, inputOf, outputOf, variableOf } from "./expressions.ts";

export interface ExpressionGroup {
  group: string;
  items: string[];
}

export interface StepInWorkflow {
  workflow: JsonObject;
  /** The index of the step. */
  at: number;
  /** Members of its response, as the description says. */
  responseFields: readonly string[];
}

const FROM_RESPONSE = /\$response\.(?:body#|header\.)[\w./~-]+/g;

/**
 * The expressions that a field of a step can have: inputs, outputs of the steps before it, variables and functions. A field that is read after
 * the step's response has that too; of its members, those that the description has or the workflow uses already.
 */
export function expressionsInScope(
  { workflow, at, responseFields }: StepInWorkflow,
  isAfterResponse: boolean,
): ExpressionGroup[] {
  const steps = Array.isArray(workflow["steps"]) ? workflow["steps"].slice(0, at) : [];
  const names = namesIn({ workflows: [{ ...workflow, steps }] });
  const groups: ExpressionGroup[] = [
    { group: "The response", items: isAfterResponse ? ofResponse(workflow, responseFields) : [] },
    {
      group: "Outputs of steps before",
      items: names.outputs.map(({ name }) => {
        // A step's id has no dots, an output's name may have some.
        const dot = name.indexOf(".");
        return outputOf(name.slice(0, dot), name.slice(dot + 1));
      }),
    },
    { group: "Inputs", items: names.inputs.map(({ name }) => inputOf(name)) },
    { group: "Variables", items: names.variables.map(({ name }) => variableOf(name)) },
    { group: "Functions", items: CALLS.map(({ call }) => call) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

function ofResponse(workflow: JsonObject, fields: readonly string[]): string[] {
  const used: string[] = [];
  textsIn(workflow, (text) => used.push(...(text.match(FROM_RESPONSE) ?? [])));
  const described = fields.map((name) => `$response.body#${childPointer("", name)}`);
  return [...new Set([...described, ...used, ...EXCHANGE])];
}
