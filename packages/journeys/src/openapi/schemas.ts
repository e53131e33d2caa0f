import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { childPointer, escapeToken } from "@waymark/openapi/pointer.ts";
import { dereference, follow, versionOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";

/** Collects schemas into one table whose entries refer to each other as `#/$defs/<key>`. */
export interface SchemaTable {
  /** Adds a schema and everything that it refers to. Returns its key. */
  add: (source: OpenApiSource, at: Located) => string;
  schemas: Record<string, unknown>;
}

const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLES = new Set([
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "additionalItems",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
/** Annotations don't influence validation, so they are left out of the program. */
const ANNOTATIONS = new Set([
  "description",
  "title",
  "example",
  "examples",
  "externalDocs",
  "xml",
  "deprecated",
  "discriminator",
  "default",
  "readOnly",
  "writeOnly",
  "$comment",
  "nullable",
  "$schema",
  "$id",
  "$anchor",
  "id",
]);
const DEPTH_MAX = 200;

/** Makes an empty table. Schemas of OpenAPI 3.0 and Swagger 2.0 become JSON Schema 2020-12. */
export function createSchemaTable(): SchemaTable {
  const schemas: Record<string, unknown> = {};
  // The schemas still to convert: a chain of references may be longer than the stack.
  const waiting: { key: string; source: OpenApiSource; at: Located }[] = [];
  let converting = false;
  const add = (source: OpenApiSource, from: Located): string => {
    const at = dereference(source, from);
    const key = `${source.name}:${at.file}#${at.pointer}`;
    if (!Object.hasOwn(schemas, key)) {
      schemas[key] = true;
      waiting.push({ key, source, at });
      if (!converting) convertAll();
    }
    return key;
  };
  const convertAll = () => {
    converting = true;
    try {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { key, source, at } = next;
        schemas[key] = convert({ source, old: versionOf(source.document) !== 3.1, add }, at, 0);
      }
    } finally {
      converting = false;
      waiting.length = 0;
    }
  };
  return { add, schemas };
}

interface Conversion {
  source: OpenApiSource;
  old: boolean;
  add: (source: OpenApiSource, at: Located) => string;
}

function convert(conversion: Conversion, at: Located, depth: number): unknown {
  if (!isObject(at.value)) return at.value !== false;
  if (depth > DEPTH_MAX)
    throw new ReferenceError(`a schema of "${conversion.source.name}" is nested too deeply`);
  const reference = at.value["$ref"];
  const result: Record<string, unknown> = {};
  if (typeof reference === "string") {
    const key = conversion.add(conversion.source, follow(conversion.source, reference, at.file));
    result["$ref"] = `#/$defs/${encodeURIComponent(escapeToken(key))}`;
    // Up to 3.0, keywords beside a reference are ignored.
    if (conversion.old) return result;
  }
  for (const [keyword, value] of Object.entries(at.value)) {
    if (keyword === "$ref" || ANNOTATIONS.has(keyword) || keyword.startsWith("x-")) continue;
    const child = { value, file: at.file, pointer: childPointer(at.pointer, keyword) };
    result[keyword] = convertKeyword(conversion, keyword, child, depth);
  }
  dropWriteOnly(at.value, result);
  return conversion.old ? modernize(at.value, result) : result;
}

function convertKeyword(conversion: Conversion, keyword: string, at: Located, depth: number): unknown {
  const children = (): [string, unknown][] =>
    Object.entries(isObject(at.value) ? at.value : {}).map(([name, value]) => [
      name,
      convert(conversion, { value, file: at.file, pointer: childPointer(at.pointer, name) }, depth + 1),
    ]);
  if (MAPS.has(keyword)) return Object.fromEntries(children());
  if (Array.isArray(at.value) && (LISTS.has(keyword) || keyword === "items")) {
    return at.value.map((value: unknown, index) =>
      convert(conversion, { value, file: at.file, pointer: `${at.pointer}/${index}` }, depth + 1),
    );
  }
  return SINGLES.has(keyword) ? convert(conversion, at, depth + 1) : at.value;
}

/** A write-only property is never in a response, so it can't be required there. */
function dropWriteOnly(schema: Record<string, unknown>, result: Record<string, unknown>): void {
  const { required } = result;
  if (!Array.isArray(required)) return;
  const names: unknown[] = required;
  const kept = names.filter(
    (name) =>
      typeof name !== "string" || ownValue(ownValue(schema["properties"], name), "writeOnly") !== true,
  );
  if (kept.length === names.length) return;
  if (kept.length === 0) delete result["required"];
  else result["required"] = kept;
}

/** Converts OpenAPI 3.0's own keywords to JSON Schema 2020-12. */
function modernize(schema: Record<string, unknown>, result: Record<string, unknown>): unknown {
  for (const side of ["Minimum", "Maximum"]) {
    const exclusive = `exclusive${side}`;
    const plain = side.toLowerCase();
    if (result[exclusive] === true) {
      result[exclusive] = result[plain];
      delete result[plain];
    } else if (result[exclusive] === false) delete result[exclusive];
  }
  if (result["type"] === "file") return true;
  if (schema["nullable"] === true || schema["x-nullable"] === true) {
    if (typeof result["type"] === "string") {
      result["type"] = [result["type"], "null"];
      if (Array.isArray(result["enum"])) result["enum"] = [...withoutNull(result["enum"]), null];
    } else if (Object.keys(result).length > 0) return { anyOf: [result, { type: "null" }] };
  }
  return result;
}

function withoutNull(items: unknown[]): unknown[] {
  return items.filter((item) => item !== null);
}
