/** A position inside a document, as messages show it: `paths["/users"].get.operationId`. */
export function formatLocation(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += `${text === "" ? "" : "."}${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** The kind of a value, for a message that says what was found instead of an object. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
