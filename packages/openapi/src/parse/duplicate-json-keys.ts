import { ownObject } from "../json.ts";

const PATH_KEY = /"[^"]*"\s*:/y;

/**
 * The keys that occur more than once in a top-level member of a JSON text, which `JSON.parse` drops silently.
 * Searches only texts with more path keys than the parsed value, so the others cost one fast pass.
 */
export function duplicateJsonKeys(text: string, value: unknown, member: string): string[] {
  const parsed = Object.keys(ownObject(value, member) ?? {}).filter((key) => key.startsWith("/")).length;
  return countPathKeys(text) === parsed ? [] : searchDuplicates(text, member);
}

/**
 * The keys that begin with a slash, as those of paths do; some generators write it as `\/`. Searches slashes, because a text has
 * a hundred times as many quotes.
 */
function countPathKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at + 1)) {
    const start = text[at - 1] === "\\" ? at - 2 : at - 1;
    if (text[start] !== '"') continue;
    PATH_KEY.lastIndex = start;
    if (PATH_KEY.test(text)) count++;
  }
  return count;
}

/** One pass over a valid JSON text. */
function searchDuplicates(text: string, member: string): string[] {
  let depth = 0;
  let isInside = false;
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const end = stringEnd(text, index);
      if (depth <= 2 && isKey(text, end)) {
        const key: unknown = JSON.parse(text.slice(index, end));
        if (depth === 1) {
          isInside = key === member;
          // Of two such members, the last one is used.
          if (isInside) {
            seen.clear();
            duplicates.clear();
          }
        } else if (isInside && typeof key === "string") {
          if (seen.has(key)) duplicates.add(key);
          seen.add(key);
        }
      }
      index = end - 1;
    }
  }
  return [...duplicates];
}

/** The index after the closing quote of the string that begins at the given index. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index + 1;
}

function isKey(text: string, end: number): boolean {
  let index = end;
  while (" \t\r\n".includes(text[index] ?? "x")) index++;
  return text[index] === ":";
}
