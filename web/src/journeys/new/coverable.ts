import { operationsOf, resourcesOf } from "@waymark/journey-authoring/template/openapi-shape.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import { writeIds } from "@waymark/openapi/parse/write-ids.ts";

export interface NamedText {
  path: string;
  text: string;
}

export type ReadDescription = { ok: true; root: JsonObject } | { ok: false; message: string };

export async function readDescription({ path, text }: NamedText): Promise<ReadDescription> {
  try {
    const document = await parseDocument(text, path);
    await writeIds(document);
    const { value } = document;
    if (isObject(value) && (Object.hasOwn(value, "openapi") || Object.hasOwn(value, "swagger")))
      return { ok: true, root: value };
    return {
      ok: false,
      message: `${path} is no OpenAPI description: it has neither openapi nor swagger.`,
    };
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, message: error.message };
    throw error;
  }
}

export type Coverable =
  | { ok: true; resources: string[]; operations: string[] }
  | { ok: false; message: string };

/** Returns the parts of a description that a journey can cover: the life of a resource, or one operation. */
export async function coverableIn(description: NamedText): Promise<Coverable> {
  const read = await readDescription(description);
  if (!read.ok) return read;
  return {
    ok: true,
    // A collection may have items below two paths.
    resources: [...new Set(resourcesOf(read.root).map(resourceName))],
    operations: operationsOf(read.root).map(operationName),
  };
}

export const resourceName = ({ path }: { path: string }) => `The life of one of ${path}`;
export const operationName = ({ method, path }: { method: string; path: string }) =>
  `${method.toUpperCase()} ${path}`;
