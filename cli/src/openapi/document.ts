/** A document as parsed, and the text it came from where that says more than the value. */
export interface ParsedDocument {
  value: unknown;
  /**
   * The text of a scalar as the file has it: YAML reads an unquoted `version: 1.0` as the number 1. Undefined
   * where there is no such scalar or the format has no other text than its value.
   */
  sourceText: (path: readonly string[]) => string | undefined;
  /** The keys that stand more than once in a member of the top level: of each the last one counts. */
  duplicateKeys: (member: string) => string[];
}

/** How a place inside a document is shown: `paths["/users"].get.operationId`. */
export function formatLocation(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += `${text === "" ? "" : "."}${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** What a value is, for a sentence that says what was found instead of an object. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
