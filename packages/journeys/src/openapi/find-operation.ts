import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { dereference, member, members, rootOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** An operation and where it stands. `path` is the template, such as `/items/{id}`. */
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

function inPathItem(source: OpenApiSource, path: string, pathItem: Located): FoundOperation[] {
  const found: FoundOperation[] = [];
  for (const method of METHODS) {
    const operation = member(source, pathItem, method);
    if (operation !== undefined && isObject(operation.value)) {
      found.push({ method: method.toUpperCase(), path, pathItem, operation });
    }
  }
  return found;
}

/** The operations with an operationId; more than one means that the description is at fault. */
export function findByOperationId(source: OpenApiSource, operationId: string): FoundOperation[] {
  return operationsOf(source).filter(
    ({ operation }) => ownValue(operation.value, "operationId") === operationId,
  );
}

export type PathLookup = { found: FoundOperation; assumed?: boolean } | { problem: string };

/**
 * The operation at a JSON pointer such as `/paths/~1items~1{id}/get`. A pointer to a path item means its only operation,
 * or GET among several (`assumed`): the specification's own example ends there.
 */
export function findByPointer(source: OpenApiSource, pointer: string): PathLookup {
  const tokens = decodePointer(pointer);
  if (tokens === undefined || tokens[0] !== "paths" || tokens[1] === undefined || tokens.length > 3) {
    return { problem: `"${pointer}" is no pointer to an operation, such as /paths/~1items/get` };
  }
  const [, path, method] = tokens;
  const item = ownValue(ownValue(source.document, "paths"), path);
  if (item === undefined) return { problem: `"${source.name}" has no path ${path}` };
  const at = { value: item, file: "", pointer: encodePointer(["paths", path]) };
  const operations = inPathItem(source, path, dereference(source, at));
  if (method !== undefined) {
    const found = operations.find((operation) => operation.method === method.toUpperCase());
    return found === undefined ? { problem: `${path} has no operation ${method}` } : { found };
  }
  const found =
    operations.length === 1 ? operations[0] : operations.find((operation) => operation.method === "GET");
  return found === undefined
    ? { problem: `${path} has several operations: end the pointer with /get, /post, …` }
    : { found, assumed: true };
}
