import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { dereference, layersOf } from "@waymark/openapi/references.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";
const METHODS: readonly Method[] = ["get", "post", "put", "patch", "delete"];

/** One operation of an OpenAPI 3.x or Swagger 2.0 document, as far as a template needs it. */
export interface Operation {
  method: Method;
  path: string;
  value: JsonObject;
}

/** A collection that things are created in, and the item path below it. */
export interface Resource {
  path: string;
  itemPath: string;
  /** Name of the item's path parameter. */
  parameter: string;
  collection: Map<Method, Operation>;
  item: Map<Method, Operation>;
}

/** A collection has one path for its items, seldom two. */
const ITEM_PATHS_MAX = 5;

/** Follows local references; one that can't be followed gives an empty object. */
export function dereferenced(root: JsonObject, value: JsonValue | undefined): JsonObject {
  return unlessLost(() => {
    const found = dereference({ name: "", url: "", document: root }, { value, file: "", pointer: "" });
    return isObject(found.value) ? found.value : {};
  }, {});
}

/** Returns a path item with the fields beside its `$ref`, which have precedence, and the parameters of both. */
export function pathItemAt(root: JsonObject, path: string): JsonObject {
  const value = ownValue(ownObject(root, "paths"), path);
  const at = { value, file: "", pointer: "" };
  const layers = unlessLost(() => layersOf({ name: "", url: "", document: root }, at), [at]);
  const nearestLast = layers
    .map((layer) => layer.value)
    .filter(isObject)
    .toReversed();
  const parameters = nearestLast.flatMap((item) => ownArray(item, "parameters"));
  return { ...Object.fromEntries(nearestLast.flatMap((item) => Object.entries(item))), parameters };
}

function unlessLost<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReferenceError) return otherwise;
    throw error;
  }
}

/** Resources that can be created and then at least read, changed or removed; in the order of their paths. */
export function resourcesOf(root: JsonObject): Resource[] {
  const paths = Object.keys(ownObject(root, "paths") ?? {});
  const items = new Map<string, { itemPath: string; parameter: string }[]>();
  for (const itemPath of paths) {
    const place = placeOfItem(itemPath);
    if (place === undefined) continue;
    const found = items.get(place.collection) ?? [];
    items.set(place.collection, [
      ...found.slice(0, ITEM_PATHS_MAX),
      { itemPath, parameter: place.parameter },
    ]);
  }
  return paths.flatMap((path) => {
    const below = items.get(path.replace(/\/$/, "")) ?? [];
    const collection = below.length === 0 ? new Map<Method, Operation>() : operationsAt(root, path);
    if (!collection.has("post")) return [];
    return below.flatMap(({ itemPath, parameter }) => {
      const item = operationsAt(root, itemPath);
      return item.size === 0 ? [] : [{ path, itemPath, parameter, collection, item }];
    });
  });
}

/** An item's path is its collection's and one parameter; both may end in the same extension, as in `.json`. */
function placeOfItem(itemPath: string): { collection: string; parameter: string } | undefined {
  const match = /^(.*)\/\{([^{}/]+)\}(\.[a-z]+)?\/?$/.exec(itemPath);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { collection: match[1] + (match[3] ?? ""), parameter: match[2] };
}

/** Every operation, in the order of the document. */
export function operationsOf(root: JsonObject): Operation[] {
  return Object.keys(ownObject(root, "paths") ?? {}).flatMap((path) => [
    ...operationsAt(root, path).values(),
  ]);
}

/** The names of a path's parameters. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}/]+)\}/g)].flatMap((match) => match[1] ?? []);
}

function operationsAt(root: JsonObject, path: string): Map<Method, Operation> {
  const item = pathItemAt(root, path);
  const found = new Map<Method, Operation>();
  for (const method of METHODS) {
    const value = ownObject(item, method);
    if (value !== undefined) found.set(method, { method, path, value });
  }
  return found;
}

/** The first documented 2xx status. */
export function successStatus({ value, method }: Operation): number {
  const documented = Object.keys(ownObject(value, "responses") ?? {}).filter((status) =>
    /^2\d\d$/.test(status),
  );
  return Number(documented.toSorted()[0] ?? (method === "post" ? 201 : 200));
}

/** The schema of a successful response; undefined if it isn't JSON. */
export function responseSchema(root: JsonObject, operation: Operation): JsonObject | undefined {
  const responses = ownObject(operation.value, "responses");
  const response = dereferenced(root, ownValue(responses, String(successStatus(operation))));
  const schema = ownValue(response, "schema") ?? ownValue(jsonMedia(response).media, "schema");
  return schema === undefined ? undefined : dereferenced(root, schema);
}

/** The properties of a schema, including those of its `allOf` parts. Each part is visited once, so that cycles end. */
export function propertiesOf(
  root: JsonObject,
  schema: JsonValue | undefined,
  seen = new Set<JsonObject>(),
): JsonObject {
  const found = dereferenced(root, schema);
  if (seen.has(found)) return {};
  seen.add(found);
  const parts = ownArray(found, "allOf").map((part) => propertiesOf(root, part, seen));
  return Object.fromEntries(
    [...parts, ownObject(found, "properties") ?? {}].flatMap(Object.entries<JsonValue>),
  );
}

export interface BodyShape {
  contentType: string;
  schema: JsonValue | undefined;
  example: JsonValue | undefined;
}

/** The schema of an operation's body; undefined if it has none. */
export function bodyOf(root: JsonObject, { value }: Operation): BodyShape | undefined {
  const body = dereferenced(root, ownValue(value, "requestBody"));
  const { contentType, media } = jsonMedia(body);
  if (media !== undefined)
    return { contentType, schema: ownValue(media, "schema"), example: exampleOf(root, media) };
  for (const parameter of ownArray(value, "parameters")) {
    const found = dereferenced(root, parameter);
    if (ownString(found, "in") === "body") {
      return { contentType: "application/json", schema: ownValue(found, "schema"), example: undefined };
    }
  }
  return formOf(root, value);
}

/** The form fields of Swagger 2.0 as one schema. */
function formOf(root: JsonObject, operation: JsonObject): BodyShape | undefined {
  const fields = ownArray(operation, "parameters")
    .map((parameter) => dereferenced(root, parameter))
    .filter((parameter) => ownString(parameter, "in") === "formData");
  if (fields.length === 0) return undefined;
  const named = fields.map((field) => [ownString(field, "name") ?? "", field] as const);
  const required = named.flatMap(([name, field]) => (ownValue(field, "required") === true ? [name] : []));
  const consumes = [...ownArray(operation, "consumes"), ...ownArray(root, "consumes")];
  const multipart =
    consumes.includes("multipart/form-data") || fields.some((field) => ownString(field, "type") === "file");
  return {
    contentType: multipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    schema: { type: "object", required, properties: Object.fromEntries(named) },
    example: undefined,
  };
}

function jsonMedia(holder: JsonObject): { contentType: string; media: JsonObject | undefined } {
  const content = ownObject(holder, "content") ?? {};
  const types = Object.keys(content);
  const contentType =
    types.find((type) => /^application\/(json|[^;]+\+json)/.test(type)) ??
    types.find((type) => /^[^/\s]+\/[^/\s]/.test(type)) ??
    "application/json";
  return { contentType, media: ownObject(content, contentType) };
}

function exampleOf(root: JsonObject, media: JsonObject): JsonValue | undefined {
  const [first] = Object.values(ownObject(media, "examples") ?? {});
  return ownValue(media, "example") ?? ownValue(dereferenced(root, first), "value");
}

/** How a step names an operation: by its id, or by its position if it has none or one that reads as an expression. */
export function callOf({ value, path, method }: Operation, source: string): JsonObject {
  const operationId = ownString(value, "operationId");
  if (operationId !== undefined && operationId !== "" && !operationId.startsWith("$")) return { operationId };
  const pointer = childPointer(childPointer("/paths", path), method);
  return { operationPath: `{$sourceDescriptions.${source}.url}#${pointer}` };
}
