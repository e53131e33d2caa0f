import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../lib/cli-error.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { describeValue, formatLocation } from "./document.ts";
import type { Located, ResolveReference } from "./reference-files.ts";

/** By their names in a document, which are in lower case. */
const METHODS = new Map(HTTP_METHODS.map((method) => [method.toLowerCase(), method]));

/** The fields of a path item that are not operations. */
const ITEM_FIELDS = new Set(["summary", "description", "servers", "parameters"]);

/** References may lead to further references; more than this many in a row are a cycle. */
const REFERENCE_HOPS_MAX = 50;

export interface Operation {
  method: HttpMethod;
  path: string;
  value: JsonObject;
}

export interface Operations {
  /** In the order of the file. */
  operations: Operation[];
  /** Operations that a scan can't express, such as `QUERY /search`. */
  unsupported: string[];
  /** Operations under a method that is not in lower case, such as `Post /orders`: no tool of OpenAPI reads them. */
  misspelled: string[];
}

export interface ListOptions {
  root: JsonObject;
  specFile: string;
  /** From OpenAPI 3.1 on, a document may have only webhooks or components. */
  pathsRequired: boolean;
}

/**
 * Lists the operations under `paths`. Webhooks and callbacks are calls by the service, so they are not its endpoints.
 * @throws {CliError} with the position of the fault
 */
export async function listOperations(resolve: ResolveReference, options: ListOptions): Promise<Operations> {
  const found: Operations = { operations: [], unsupported: [], misspelled: [] };
  const { root, specFile } = options;
  if (root["paths"] === undefined || root["paths"] === null) {
    if (options.pathsRequired)
      throw usageError('The document has no "paths", which it must have, even if empty.');
    return found;
  }
  const paths = await dereference(resolve, { value: root["paths"], file: specFile }, "paths");
  for (const [path, value] of Object.entries(paths.value)) {
    if (path.startsWith("x-") || path === "$ref") continue;
    const location = formatLocation(["paths", path]);
    const item = await dereference(resolve, { value, file: paths.file }, location);
    for (const [key, entry] of Object.entries(item.value)) {
      const method = METHODS.get(key);
      if (method !== undefined) {
        const operationLocation = formatLocation(["paths", path, key]);
        const operation = await dereference(resolve, { value: entry, file: item.file }, operationLocation);
        found.operations.push({ method, path, value: operation.value });
      } else if (!ITEM_FIELDS.has(key) && !key.startsWith("x-") && isObject(entry)) {
        noteOther(found, { key, entry, path });
      }
    }
  }
  return found;
}

/** OpenAPI 3.2 has the method `query` and others under `additionalOperations`; descriptions of 3.1 have them too. */
function noteOther(
  found: Operations,
  { key, entry, path }: { key: string; entry: JsonObject; path: string },
): void {
  if (METHODS.has(key.toLowerCase())) found.misspelled.push(`${key} ${path}`);
  else if (key !== "additionalOperations") found.unsupported.push(`${key.toUpperCase()} ${path}`);
  else found.unsupported.push(...Object.keys(entry).map((name) => `${name} ${path}`));
}

/** Follows all `$ref`s. Fields beside a `$ref` take precedence over the referenced ones. */
async function dereference(
  resolve: ResolveReference,
  start: Located,
  location: string,
): Promise<{ value: JsonObject; file: string }> {
  const siblings: JsonObject[] = [];
  let current = start;
  for (let hops = 0; hops <= REFERENCE_HOPS_MAX; hops++) {
    const { value, file } = current;
    if (!isObject(value)) throw usageError(`${location} must be an object and is ${describeValue(value)}.`);
    const { $ref: reference, ...rest } = value;
    if (typeof reference !== "string") {
      return { value: siblings.length === 0 ? value : mergeSiblings(value, siblings), file };
    }
    if (Object.keys(rest).length > 0) siblings.push(rest);
    current = await resolve(reference, file, location);
  }
  throw usageError(`${location} refers to itself: its $ref never leads to a value.`);
}

function mergeSiblings(target: JsonObject, siblings: readonly JsonObject[]): JsonObject {
  return Object.assign({}, target, ...siblings.toReversed());
}
