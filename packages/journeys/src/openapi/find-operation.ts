import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { dereference, member, members, rootOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** An operation and its position. `path` is the template, such as `/items/{id}`. */
export interface FoundOperation {
  method: string;
  path: string;
  pathItem: Located;
  operation: Located;
}

/** Every operation of a source, in the order of its document. */
export function operationsOf(source: OpenApiSource): FoundOperation[] {
  const paths = member(source, rootOf(source), "paths");
  return members(source, paths).flatMap(([path, pathItem]) => inPathItem(source, path, pathItem));
}

const indexes = new WeakMap<readonly FoundOperation[], Map<string, FoundOperation[]>>();

/** The operations of a source with this id. They are indexed once: searching them for each step takes quadratic time. */
export function operationsById(
  operations: readonly FoundOperation[],
  operationId: string,
): readonly FoundOperation[] {
  let index = indexes.get(operations);
  if (index === undefined) indexes.set(operations, (index = indexOf(operations)));
  return index.get(operationId) ?? [];
}

function indexOf(operations: readonly FoundOperation[]): Map<string, FoundOperation[]> {
  const index = new Map<string, FoundOperation[]>();
  for (const found of operations) {
    // YAML reads an unquoted 20240101 as a number, and true as a boolean.
    const written = ownValue(found.operation.value, "operationId");
    if (typeof written === "object" || written === undefined) continue;
    const id = String(written);
    const alike = index.get(id);
    if (alike === undefined) index.set(id, [found]);
    else alike.push(found);
  }
  return index;
}

function inPathItem(source: OpenApiSource, path: string, pathItem: Located): FoundOperation[] {
  const found: FoundOperation[] = [];
  for (const method of METHODS) {
    const operation = member(source, pathItem, method);
    if (operation !== undefined && isObject(operation.value)) {
      found.push({ method: method.toUpperCase(), path, pathItem, operation });
    }
  }
  // OpenAPI 3.2: methods that have no field of their own, written as they are sent.
  for (const [method, operation] of members(source, member(source, pathItem, "additionalOperations"))) {
    if (isObject(operation.value)) found.push({ method, path, pathItem, operation });
  }
  return found;
}

export type PathLookup = { found: FoundOperation; assumed?: boolean } | { problem: string };

/**
 * The operation at a JSON pointer such as `/paths/~1items~1{id}/get`. A pointer to a path item means its only operation,
 * or GET among several (`assumed`): the specification's own example ends there.
 */
export function findByPointer(source: OpenApiSource, pointer: string): PathLookup {
  const tokens = decodePointer(pointer);
  const isAdditional = tokens?.[2] === "additionalOperations" && tokens.length === 4;
  const isPointer =
    tokens?.[0] === "paths" && tokens[1] !== undefined && (tokens.length <= 3 || isAdditional);
  if (tokens === undefined || !isPointer) {
    return { problem: `"${pointer}" is no pointer to an operation, such as /paths/~1items/get` };
  }
  const [, path = ""] = tokens;
  const field = tokens[2];
  // The fields of a path item are in lower case, the names of additional operations as they are sent.
  const method = isAdditional ? tokens[3] : METHODS.find((name) => name === field)?.toUpperCase();
  const item = ownValue(ownValue(source.document, "paths"), path);
  if (item === undefined) return { problem: `"${source.name}" has no path ${path}` };
  const at = { value: item, file: "", pointer: encodePointer(["paths", path]) };
  const operations = inPathItem(source, path, dereference(source, at));
  if (field !== undefined) {
    const found = operations.find((operation) => operation.method === method);
    return found === undefined
      ? { problem: `${path} has no operation ${tokens.slice(2).join("/")}` }
      : { found };
  }
  const found =
    operations.length === 1 ? operations[0] : operations.find((operation) => operation.method === "GET");
  return found === undefined
    ? { problem: `${path} has several operations: end the pointer with /get, /post, …` }
    : { found, assumed: true };
}
