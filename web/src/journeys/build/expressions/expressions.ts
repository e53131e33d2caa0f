import {
  beginningOf,
  FUNCTION_NAMES,
  FUNCTIONS,
  signatureOf,
} from "@waymark/journeys/expressions/functions/declarations.ts";

// Expressions as the text's completion and the forms offer them.

/** The expressions that read a step's own request and response. */
export const EXCHANGE = ["$statusCode", "$response.body", "$request.body", "$url", "$method"] as const;

/** The calls of functions that are offered, each with what it needs and gives. */
export const CALLS: readonly { call: string; detail: string }[] = FUNCTION_NAMES.map((name) => ({
  call: beginningOf(name),
  detail: `${signatureOf(name).slice(`$fn.${name}`.length)}: ${FUNCTIONS[name].text}`,
}));

export const outputOf = (step: string, output: string) => `$steps.${step}.outputs.${output}`;
export const inputOf = (name: string) => `$inputs.${name}`;
export const variableOf = (name: string) => `$vars.${name}`;
