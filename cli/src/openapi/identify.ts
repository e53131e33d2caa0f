import { type CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { describeValue } from "./document.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";

export interface Identified {
  root: JsonObject;
  /** Such as `3.1.0` or, for Swagger, `2.0`. */
  specVersion: string;
}

const OTHER_FORMATS: Record<string, string> = {
  asyncapi: "an AsyncAPI document",
  arazzo: "an Arazzo document",
  overlay: "an OpenAPI overlay",
  swaggerVersion: "a Swagger 1.x description, which is not supported: convert it to OpenAPI 3",
  $schema: "a JSON Schema",
};

/**
 * Checks that a document is OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0.
 * @throws {CliError} that says what the file probably is instead
 */
export async function identifyOpenApi(document: ParsedDocument, name: string): Promise<Identified> {
  const root = document.value;
  if (!isObject(root)) {
    throw notOpenApi(name, `its top level must be an object and is ${describeValue(root)}`);
  }
  for (const field of ["openapi", "swagger"]) {
    if (!Object.hasOwn(root, field)) continue;
    // An unquoted 3.0 in YAML is the number 3; its text is still "3.0".
    const value: unknown = root[field];
    const version =
      typeof value === "string" ? value : ((await document.sourceText(root, field)) ?? String(value));
    const supported = field === "openapi" ? /^3\.[012](?![0-9])/ : /^2(\.0)?$/;
    if (supported.test(version)) return { root, specVersion: version };
    throw usageError(
      `${name} says "${field}: ${printable(version, 40)}", which is not supported: OpenAPI 3.0, 3.1, 3.2 and ` +
        `Swagger 2.0 are.`,
    );
  }
  const other = Object.keys(OTHER_FORMATS).find((field) => Object.hasOwn(root, field));
  const what = other === undefined ? undefined : OTHER_FORMATS[other];
  throw notOpenApi(
    name,
    what === undefined ? `it has no "openapi" or "swagger" field at its top` : `it is ${what}`,
  );
}

function notOpenApi(name: string, why: string): CliError {
  return usageError(`${name} is not an OpenAPI description: ${why}.`);
}
