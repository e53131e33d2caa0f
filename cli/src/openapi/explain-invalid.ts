import { validate } from "@readme/openapi-parser";
import { printable } from "../lib/text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";

const LINES_MAX = 20;

type ApiDocument = Exclude<Parameters<typeof validate>[0], string>;

/**
 * Returns the OpenAPI schema's faults of a document that is already known to be invalid, as sentences. Empty if the validator finds
 * none, or doesn't know the version (OpenAPI 3.2). Works on a copy and follows no reference out of the document.
 */
export async function explainInvalid(root: JsonObject): Promise<string[]> {
  const copy: unknown = structuredClone(root);
  if (!isApiDocument(copy)) return [];
  try {
    const result = await validate(copy, { resolve: { external: false } });
    if (result.valid) return [];
    // The lines below the first one show a rewritten document, with its line numbers.
    const lines = result.errors.map(({ message }) =>
      printable(message.split("\n", 1)[0] ?? "", 300).trimEnd(),
    );
    return [...new Set(lines)].slice(0, LINES_MAX);
  } catch (error) {
    return error instanceof Error ? [printable(error.message, 300)] : [];
  }
}

function isApiDocument(value: unknown): value is ApiDocument {
  return isObject(value) && (Object.hasOwn(value, "openapi") || Object.hasOwn(value, "swagger"));
}
