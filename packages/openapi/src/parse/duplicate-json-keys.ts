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
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    start = end + 1;
    while (isSpace(text.charCodeAt(start))) start++;
    if (text.charCodeAt(start) === 58) count++;
  }
  return count;
}

/** True if an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === 92) start--;
  return (at - start) % 2 === 1;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Iterative: the depth of a document is its author's. */
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
