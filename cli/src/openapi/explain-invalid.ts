import { compileErrors, validate } from "@readme/openapi-parser";
import { printable } from "../lib/text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";

const LINES_MAX = 20;

type ApiDocument = Exclude<Parameters<typeof validate>[0], string>;

/**
 * The OpenAPI schema's faults of a document that is already known to be invalid, as sentences with positions. Empty if the
 * validator finds none, or doesn't know the version (OpenAPI 3.2). It works on a copy and
 * follows no reference out of the document.
 */
export async function explainInvalid(root: JsonObject): Promise<string[]> {
  const copy: unknown = structuredClone(root);
  if (!isApiDocument(copy)) return [];
  try {
    const result = await validate(copy, { resolve: { external: false } });
    if (result.valid) return [];
    const lines = compileErrors(result)
      .split("\n")
      .map((line) => printable(line, 300).trimEnd());
    return lines.filter((line) => line !== "").slice(0, LINES_MAX);
  } catch (error) {
    return error instanceof Error ? [printable(error.message, 300)] : [];
  }
}

function isApiDocument(value: unknown): value is ApiDocument {
  return isObject(value) && (Object.hasOwn(value, "openapi") || Object.hasOwn(value, "swagger"));
}
