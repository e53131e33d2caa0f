import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { childPointer, decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { layersOf, member, members, rootOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** An operation and its position. `path` is the template, such as `/items/{id}`. */
export interface FoundOperation {
  method: string;
  path: string;
  /** The path item and those that its `$ref`s lead to: the first that has a field counts. */
  pathItem: readonly Located[];
  operation: Located;
}

/** Every operation of a source, in the order of its document. */
export function operationsOf(source: OpenApiSource): FoundOperation[] {
  const paths = member(source, rootOf(source), "paths");
  const items = isObject(paths?.value) ? Object.entries(paths.value) : [];
  return items.flatMap(([path, value]) => {
    if (path.startsWith("x-")) return [];
    const at = { value, file: paths?.file ?? "", pointer: childPointer(paths?.pointer ?? "", path) };
    return inPathItem(source, path, layersOf(source, at));
  });
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
    const id = ownString(found.operation.value, "operationId");
    if (id === undefined) continue;
    const alike = index.get(id);
    if (alike === undefined) index.set(id, [found]);
    else alike.push(found);
  }
  return index;
}

function inPathItem(source: OpenApiSource, path: string, pathItem: readonly Located[]): FoundOperation[] {
  const found: FoundOperation[] = [];
  const field = (key: string) => {
    const layer = pathItem.find(({ value }) => ownValue(value, key) !== undefined);
    return layer === undefined ? undefined : member(source, layer, key);
  };
  for (const method of METHODS) {
    const operation = field(method);
    if (operation !== undefined && isObject(operation.value)) {
      found.push({ method: method.toUpperCase(), path, pathItem, operation });
    }
  }
  // OpenAPI 3.2: methods that have no field of their own, written as they are sent.
  for (const [method, operation] of members(source, field("additionalOperations"))) {
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
  const operations = inPathItem(source, path, layersOf(source, at));
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
