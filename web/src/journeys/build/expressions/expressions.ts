// Expressions as the text's completion and the forms offer them.

/** The expressions that read a step's own request and response. */
export const EXCHANGE = ["$statusCode", "$response.body", "$request.body", "$url", "$method"] as const;

export const outputOf = (step: string, output: string) => `$steps.${step}.outputs.${output}`;
export const inputOf = (name: string) => `$inputs.${name}`;
export const variableOf = (name: string) => `$vars.${name}`;
