import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { usageError } from "../lib/cli-error.ts";
import { describeValue, formatLocation } from "./document.ts";
import type { Located, ResolveReference, SourceFile } from "./reference-files.ts";

/** The methods by their names in a document, which are in lower case. */
const METHODS = new Map(HTTP_METHODS.map((method) => [method.toLowerCase(), method]));

/** The fields of a path item that are not operations. */
const ITEM_FIELDS = new Set(["summary", "description", "servers", "parameters"]);

/** References may lead to further references; more than this many in a row are a cycle. */
const REFERENCE_HOPS_MAX = 50;

export interface Operation {
  method: HttpMethod;
  path: string;
  operationId: string | null;
  summary: string | null;
  tags: string[];
}

export interface Operations {
  /** The operations in the order of the file. */
  operations: Operation[];
  /** Operations that a scan can't express, such as `QUERY /search`. */
  unsupported: string[];
  /** Operations under a method that is not in lower case, such as `Post /orders`: no tool of OpenAPI reads them. */
  misspelled: string[];
  /** Path items and operations without a value. */
  empty: { name: string; at: Located }[];
}

export interface ListOptions {
  spec: SourceFile;
  /** False from OpenAPI 3.1 on: a document may have only webhooks or components. */
  pathsRequired: boolean;
}

/**
 * Lists the operations under `paths`. Webhooks and callbacks are calls by the service, so they are not its endpoints.
 * @throws {CliError} with the position of the fault
 */
export async function listOperations(resolve: ResolveReference, options: ListOptions): Promise<Operations> {
  const found: Operations = { operations: [], unsupported: [], misspelled: [], empty: [] };
  const { spec } = options;
  const root: Located = { value: spec.document.value, source: spec, path: [] };
  const start = childOf([root], "paths");
  if (start === undefined) {
    if (options.pathsRequired)
      throw usageError('The document has no "paths", which it must have, even if empty.');
    return found;
  }
  if (start.value === null) return found;
  const paths = await dereference(resolve, start, "paths");
  for (const path of keysOf(paths)) {
    const at = childOf(paths, path);
    if (path.startsWith("x-") || at === undefined) continue;
    if (at.value === null) found.empty.push({ name: path, at });
    else await listItem(resolve, { path, at, found });
  }
  return found;
}

async function listItem(
  resolve: ResolveReference,
  { path, at, found }: { path: string; at: Located; found: Operations },
): Promise<void> {
  const item = await dereference(resolve, at, formatLocation(["paths", path]));
  for (const key of keysOf(item)) {
    const entry = childOf(item, key);
    const method = METHODS.get(key);
    if (entry === undefined) continue;
    if (method === undefined) {
      if (!ITEM_FIELDS.has(key) && !key.startsWith("x-") && isObject(entry.value))
        noteOther(found, { key, entry: entry.value, path });
    } else if (entry.value === null) {
      found.empty.push({ name: `${method} ${path}`, at: entry });
    } else {
      const layers = await dereference(resolve, entry, formatLocation(["paths", path, key]));
      found.operations.push({ method, path, ...(await readFields(layers)) });
    }
  }
}

async function readFields(layers: Located[]): Promise<Pick<Operation, "operationId" | "summary" | "tags">> {
  const [operationId, summary] = [await textOf(layers, "operationId"), await textOf(layers, "summary")];
  const list = childOf(layers, "tags");
  const tags: string[] = [];
  if (list !== undefined && Array.isArray(list.value)) {
    for (const index of list.value.keys()) {
      const tag = await textOf([list], String(index));
      if (tag !== null) tags.push(tag);
    }
  }
  return { operationId, summary, tags };
}

/** A text, or the original text of a number or a boolean: YAML reads the unquoted 2024 and true as such. */
async function textOf(layers: readonly Located[], key: string): Promise<string | null> {
  for (const { value: container, source } of layers) {
    const value: unknown = ownValue(container, key);
    if (typeof value === "string") return value;
    if (typeof container !== "object" || container === null || value === undefined || value === null)
      continue;
    const isScalar = typeof value === "number" || typeof value === "boolean";
    return isScalar ? ((await source.document.sourceText(container, key)) ?? String(value)) : null;
  }
  return null;
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

/** Follows all `$ref`s to objects. The first one has precedence: fields beside a `$ref` win over the referenced ones. */
async function dereference(resolve: ResolveReference, start: Located, location: string): Promise<Located[]> {
  const layers: Located[] = [];
  let current = start;
  for (let hops = 0; hops <= REFERENCE_HOPS_MAX; hops++) {
    const { value, source } = current;
    if (!isObject(value)) {
      throw usageError(
        `${await placeOf(current)}: ${location} must be an object and is ${describeValue(value)}.`,
      );
    }
    layers.push(current);
    const reference = value["$ref"];
    if (typeof reference !== "string") return layers;
    current = await resolve(reference, source, location);
  }
  throw usageError(`${location} refers to itself: its $ref never leads to a value.`);
}

/** The keys of objects, those of the last one first. */
function keysOf(layers: readonly Located[]): Set<string> {
  const keys = new Set(
    layers.toReversed().flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])),
  );
  keys.delete("$ref");
  return keys;
}

/** The member of the first object that has it. */
function childOf(layers: readonly Located[], key: string): Located | undefined {
  for (const { value: container, source, path } of layers) {
    const value = ownValue(container, key);
    if (value !== undefined) return { value, source, path: [...path, key] };
  }
  return undefined;
}

/** Returns the file and the line of a value. Reads the whole text of the file. */
export async function placeOf({ source, path }: Located): Promise<string> {
  return `${source.name}:${await source.document.lineOf(path)}`;
}
