import { nextOf, stringEnd } from "./json-members.ts";

/**
 * True if an object of a valid JSON text has a key twice: `JSON.parse` drops the first one silently. Compares two counts, because
 * hardly any text has one: 10 MB take about 0.1 s.
 */
export function hasDuplicateKeys(text: string, value: unknown): boolean {
  return countKeys(text) !== countMembers(value);
}

function countKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    start = nextOf(text, stringEnd(text, start));
    if (text.charCodeAt(start) === 58) count++;
  }
  return count;
}

/** Counts the members of all objects. Iterative, because the depth of a document is its author's choice. */
function countMembers(root: unknown): number {
  let count = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    const items: unknown[] = isList ? value : Object.values(value);
    if (!isList) count += items.length;
    for (const item of items) if (typeof item === "object") stack.push(item);
  }
  return count;
}
