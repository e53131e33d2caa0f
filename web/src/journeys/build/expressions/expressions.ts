// Expressions as the text's completion and the forms offer them.

/** What a step's request and its response give. */
export const EXCHANGE = ["$statusCode", "$response.body", "$request.body", "$url", "$method"] as const;

export const outputOf = (step: string, output: string) => `$steps.${step}.outputs.${output}`;
export const inputOf = (name: string) => `$inputs.${name}`;
export const variableOf = (name: string) => `$vars.${name}`;
