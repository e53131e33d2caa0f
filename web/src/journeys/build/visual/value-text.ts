import type { JsonValue } from "@waymark/openapi/json.ts";

/**
 * Returns a value as a form field shows it: a text as it is, anything else as JSON. A text that would be read as
 * something else, such as the text "50", is quoted.
 */
export function fieldText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return typeof fieldValue(value) === "string" && !isQuoted(value) ? value : JSON.stringify(value);
}

/** Returns the value of a form field. A field that does not contain JSON is a text, and so is every expression. */
export function fieldValue(text: string): JsonValue {
  if (!/^\s*(?:["[{]|-?\d|true\b|false\b|null\b)/.test(text)) return text;
  try {
    // JSON.parse returns JSON values only.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function isQuoted(text: string): boolean {
  return fieldValue(text) !== text;
}
