import { CALLS, EXCHANGE, inputOf, outputOf, variableOf } from "../expressions/expressions.ts";
import { KEYS, VALUES } from "./journey-keys.ts";
import type { Name, Names } from "./names.ts";

/** Options that fit at a place of a text, and the offset of the word that they replace. */
export interface Completion {
  from: number;
  /** True if the same options fit after more of the word was typed. */
  isValidFor: (word: string) => boolean;
  options: { label: string; detail?: string }[];
}

export interface KnownNames extends Names {
  operations: readonly { operationId: string | undefined; method: string; path: string }[];
}

/** Returns names, values and keys that fit at an offset of a journey's text; undefined if nothing is known to fit. */
export function completionsAt(text: string, offset: number, names: KnownNames): Completion | undefined {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  if (/^\s*#/.test(before)) return undefined;
  const expression = /\$[A-Za-z0-9_.-]*$/.exec(before)?.[0];
  if (expression !== undefined)
    return completion(
      offset,
      expression,
      expressionsOf(expression, names),
      (typed) => /^\$[\w.-]*$/.test(typed) && stepOf(typed) === stepOf(expression),
    );
  const [, indent, key, value] = /^(\s*(?:- +)*)([A-Za-z$-]+): +(.*)$/.exec(before) ?? [];
  if (indent !== undefined && key !== undefined && value !== undefined) {
    const holder = holderAt(text, lineStart, indent.length);
    const word = /[^\s,[\]{}"']*$/.exec(value)?.[0] ?? "";
    return completion(offset, word, valuesOf(key, holder, names));
  }
  const [, itemIndent, item] = /^(\s*(?:- +)+)([^\s:]*)$/.exec(before) ?? [];
  const list = itemIndent === undefined ? "" : keysAbove(text, lineStart, itemIndent.length).at(-1);
  if (item !== undefined && (list === "provenBy" || list === "dependsOn"))
    return completion(offset, item, valuesOf(list, "", names));
  const [, keyIndent, typed] = /^(\s*(?:- +)*)([A-Za-z$-]*)$/.exec(before) ?? [];
  if (keyIndent === undefined || typed === undefined) return undefined;
  const keys = KEYS[holderAt(text, lineStart, keyIndent.length)] ?? [];
  return completion(
    offset,
    typed,
    keys.map((label) => ({ label })),
  );
}

function completion(
  offset: number,
  word: string,
  options: Completion["options"],
  isValidFor: Completion["isValidFor"] = (typed) => /^[\w.#-]*$/.test(typed),
): Completion | undefined {
  return options.length === 0 ? undefined : { from: offset - word.length, options, isValidFor };
}

/** Returns the step whose outputs an expression reads; undefined before the step is typed. */
const stepOf = (expression: string) => /^\$steps\.([^.]*)\./.exec(expression)?.[1];

function expressionsOf(typed: string, names: KnownNames): Completion["options"] {
  const step = stepOf(typed);
  if (step !== undefined)
    return names.outputs
      .filter(({ name }) => name.startsWith(`${step}.`))
      .map(({ name }) => ({ label: outputOf(step, name.slice(step.length + 1)) }));
  const known = [
    ...EXCHANGE,
    "$response.header.",
    ...names.steps.map(({ name }) => `$steps.${name}.outputs.`),
    ...names.inputs.map(({ name }) => inputOf(name)),
    ...names.variables.map(({ name }) => variableOf(name)),
    ...names.sources.map(({ name }) => `$sourceDescriptions.${name}.`),
  ];
  return [
    ...known.map((label) => ({ label })),
    ...CALLS.map(({ call, detail }) => ({ label: call, detail })),
  ];
}

const labels = (list: readonly Name[]) => list.map(({ name }) => ({ label: name }));

function valuesOf(key: string, holder: string, names: KnownNames): Completion["options"] {
  switch (key) {
    case "operationId":
      return names.operations.flatMap(({ operationId, method, path }) =>
        operationId === undefined ? [] : [{ label: operationId, detail: `${method.toUpperCase()} ${path}` }],
      );
    case "provenBy":
      return labels(names.proofs);
    case "workflowId":
      return holder === "workflows" ? [] : labels(names.workflows);
    case "stepId":
      return holder === "steps" ? [] : labels(names.steps);
    case "step":
    case "dependsOn":
      return labels(names.steps);
    default:
      return (VALUES[`${holder} ${key}`] ?? []).map((label) => ({ label }));
  }
}

/** The key that holds the object of a line, as `KEYS` has it. */
function holderAt(text: string, lineStart: number, column: number): string {
  const keys = keysAbove(text, lineStart, column);
  const last = keys.at(-1) ?? "";
  return last === "x-journey" ? `${keys.at(-2) ?? ""}/x-journey` : last;
}

/** The keys that a line of a column is below, by indentation: the text may be one that can't be parsed. */
function keysAbove(text: string, lineStart: number, column: number): string[] {
  const keys: string[] = [];
  let limit = column;
  for (let end = lineStart - 1; end > 0 && limit > 0;) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    const [, indent, key] = /^(\s*(?:- +)*)["']?([\w$-]+)["']?:(?:\s|$)/.exec(line) ?? [];
    if (indent !== undefined && key !== undefined && indent.length < limit) {
      keys.unshift(key);
      limit = indent.length;
    }
    end = start - 1;
  }
  return keys;
}
