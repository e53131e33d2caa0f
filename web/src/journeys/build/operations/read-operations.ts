import {
  bodyOf,
  dereferenced,
  type Operation,
  operationsOf,
  pathItemAt,
  propertiesOf,
  responseSchema,
} from "@waymark/journey-authoring/template/openapi-shape.ts";
import { isObject, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import { writeIds } from "@waymark/openapi/parse/write-ids.ts";
import { countOf } from "../../../lib/count-of.ts";
import { loadCode } from "../../../lib/load-code.ts";
import type { KnownField, KnownOperation, Sample } from "./known-operation.ts";

/** The operations of a description; undefined if it can't be read. */
export async function readOperations(source: string, text: string): Promise<KnownOperation[] | undefined> {
  try {
    const document = await parseDocument(text, source);
    await writeIds(document);
    const { value } = document;
    return isObject(value) ? operationsOf(value).map((one) => knownOperation(value, one, source)) : undefined;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function knownOperation(root: JsonObject, operation: Operation, source: string): KnownOperation {
  const { method, path, value } = operation;
  return {
    source,
    operationId: ownString(value, "operationId"),
    method,
    path,
    summary: ownString(value, "summary") ?? "",
    parameters: parametersOf(root, operation),
    body: bodyFields(root, operation),
    responseFields: Object.keys(propertiesOf(root, responseSchema(root, operation))),
  };
}

/** Those of the path and of the operation, which override them. */
function parametersOf(root: JsonObject, { path, value }: Operation): KnownOperation["parameters"] {
  const item = pathItemAt(root, path);
  const all = [...ownArray(item, "parameters"), ...ownArray(value, "parameters")].flatMap((given) => {
    const parameter = dereferenced(root, given);
    const place = ownString(parameter, "in") ?? "";
    if (!["path", "query", "header", "cookie"].includes(place)) return [];
    const schema = dereferenced(root, ownValue(parameter, "schema") ?? parameter);
    const name = ownString(parameter, "name") ?? "";
    const isRequired = ownValue(parameter, "required") === true || place === "path";
    const sample = sampleFor(root, schema, ownValue(parameter, "example"));
    return [{ ...fieldOf(name, schema, isRequired), in: place, sample }];
  });
  return [...new Map(all.map((one) => [`${one.in} ${one.name}`, one])).values()];
}

function bodyFields(root: JsonObject, operation: Operation): KnownOperation["body"] {
  const body = bodyOf(root, operation);
  if (body === undefined) return undefined;
  const schema = dereferenced(root, body.schema);
  const required = new Set(
    [schema, ...ownArray(schema, "allOf")].flatMap((part) => ownArray(dereferenced(root, part), "required")),
  );
  const fields = Object.entries(propertiesOf(root, body.schema)).map(([name, member]) =>
    fieldOf(name, dereferenced(root, member), required.has(name)),
  );
  return { contentType: body.contentType, fields, sample: sampleFor(root, body.schema, body.example) };
}

function sampleFor(root: JsonObject, schema: JsonValue | undefined, example: JsonValue | undefined): Sample {
  return async () => {
    const { reasonable, sampleOf } = await loadCode(
      "What makes sample values",
      () => import("@waymark/journey-authoring/template/sample.ts"),
    );
    return reasonable(example) ?? sampleOf(root, schema);
  };
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): KnownField {
  return {
    name,
    isRequired,
    type: typeOf(schema),
    choices: Array.isArray(schema["enum"]) ? schema["enum"] : undefined,
    description: ownString(schema, "description") ?? "",
  };
}

const BOUNDS = [
  ["minimum", (bound: number) => `at least ${bound}`],
  ["maximum", (bound: number) => `at most ${bound}`],
  ["minLength", (bound: number) => `at least ${countOf(bound, "characters")}`],
  ["maxLength", (bound: number) => `at most ${countOf(bound, "characters")}`],
] as const;

/** The type of a schema with its bounds, in words. */
function typeOf(schema: JsonObject): string {
  const type = schema["type"];
  const names = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === "string");
  const format = ownString(schema, "format");
  return [
    ...(names.length > 0 ? [names.join(" or ")] : []),
    ...(format === undefined ? [] : [format]),
    ...BOUNDS.flatMap(([key, describe]) => {
      const bound = schema[key];
      return isNumber(bound) ? [describe(bound)] : [];
    }),
  ].join(", ");
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number";
}
