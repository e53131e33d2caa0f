import { ownObject } from "@waymark/openapi/json.ts";

/** A key that begins with a slash, as those of paths do; `\/` is how some generators write one. */
const PATH_KEY = /"\\?\/[^"]*"\s*:/g;

/**
 * The keys that stand more than once in a member of the top level of a JSON text, which `JSON.parse` drops in silence.
 * Only texts with more path keys than the parsed value has are searched, so the others cost one fast pass.
 */
export function duplicateJsonKeys(text: string, value: unknown, member: string): string[] {
  const parsed = Object.keys(ownObject(value, member) ?? {}).filter((key) => key.startsWith("/")).length;
  let written = 0;
  for (PATH_KEY.lastIndex = 0; PATH_KEY.test(text);) written++;
  return written === parsed ? [] : searchDuplicates(text, member);
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
          // Of two such members the last one counts.
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

/** The index after the closing quote of the string that begins at an index. */
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
