import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { member, members, rootOf, textOf, versionOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";
import type { FoundOperation } from "./find-operation.ts";
import type { BodyRule, Operation, ParameterRule, PropertyRule, ResponseRule } from "./operation.ts";
import { describeParameter, isStyle } from "./parameter-rule.ts";
import type { SchemaTable } from "./schemas.ts";
import { securityOf } from "./security.ts";
import { serverOf } from "./servers.ts";
import type { ServerChoice } from "./servers.ts";

/**
 * Resolves the parts of an operation that a request and the check of its response need.
 *
 * @throws ReferenceError if the description refers to something that doesn't exist
 */
export function describeOperation(
  source: OpenApiSource,
  found: FoundOperation,
  options: { table: SchemaTable; server?: ServerChoice | undefined },
): Operation {
  const operationId = textOf(member(source, found.operation, "operationId"));
  const server = serverOf(source, found, options.server);
  const parameters = parametersOf(source, found);
  return {
    source: source.name,
    ...(operationId === undefined ? {} : { operationId }),
    method: found.method,
    path: found.path,
    ...(server === undefined ? {} : { server }),
    parameters: Object.fromEntries(parameters.flatMap((parameter) => ruleEntry(source, parameter))),
    request: requestOf(source, found, parameters),
    responses: responsesOf(source, found, options.table),
    security: securityOf(source, found.operation),
  };
}

/** Lists the parameters of the operation, and those of the path that it doesn't override. */
function parametersOf(source: OpenApiSource, found: FoundOperation): Located[] {
  const byKey = new Map<string, Located>();
  for (const owner of [...found.pathItem.toReversed(), found.operation]) {
    for (const [, parameter] of members(source, member(source, owner, "parameters"))) {
      byKey.set(`${ownString(parameter.value, "in")}:${ownString(parameter.value, "name")}`, parameter);
    }
  }
  return [...byKey.values()];
}

function ruleEntry(source: OpenApiSource, parameter: Located): [string, ParameterRule][] {
  const place = textOf(member(source, parameter, "in"));
  const name = textOf(member(source, parameter, "name"));
  if (place === undefined || name === undefined || place === "body" || place === "formData") return [];
  const key = `${place}:${place === "header" ? name.toLowerCase() : name}`;
  return [[key, describeParameter(source, parameter, place)]];
}

function requestOf(
  source: OpenApiSource,
  found: FoundOperation,
  parameters: Located[],
): Operation["request"] {
  if (versionOf(source.document) === 2) return swaggerRequest(source, found, parameters);
  const content = member(source, member(source, found.operation, "requestBody") ?? NOTHING, "content");
  return members(source, content).map(([mediaType, media]) => ({ mediaType, rule: bodyRule(source, media) }));
}

const NOTHING: Located = { value: undefined, file: "", pointer: "" };

function bodyRule(source: OpenApiSource, media: Located): BodyRule {
  const properties: Record<string, PropertyRule> = {};
  const schema = member(source, media, "schema");
  for (const [name, property] of members(source, schema && member(source, schema, "properties"))) {
    const rule = contentTypeOfSchema(source, property);
    if (Object.keys(rule).length > 0) properties[name] = rule;
  }
  for (const [name, encoding] of members(source, member(source, media, "encoding"))) {
    properties[name] = { ...properties[name], ...encodingRule(source, encoding) };
  }
  const prefix = members(source, member(source, media, "prefixEncoding"));
  const item = member(source, media, "itemEncoding");
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(prefix.length > 0 && { prefix: prefix.map(([, encoding]) => encodingRule(source, encoding)) }),
    ...(item !== undefined && { item: encodingRule(source, item) }),
  };
}

function encodingRule(source: OpenApiSource, encoding: Located): PropertyRule {
  const contentType = textOf(member(source, encoding, "contentType"));
  const style = ownValue(encoding.value, "style");
  const explode = ownValue(encoding.value, "explode");
  return {
    ...(contentType !== undefined && { contentType }),
    ...(isStyle(style) && { style }),
    ...(typeof explode === "boolean" && { explode }),
    ...(ownValue(encoding.value, "allowReserved") === true && { allowReserved: true }),
  };
}

/** Keywords of a schema that say something of a value's type. */
const TYPED = ["type", "enum", "const", "properties", "items", "allOf", "anyOf", "oneOf", "$ref"];

/** OpenAPI's default content type of a part, if no encoding names one. */
function contentTypeOfSchema(source: OpenApiSource, property: Located): PropertyRule {
  const items = member(source, property, "items");
  const target =
    ownValue(property.value, "type") === "array" && items !== undefined ? items.value : property.value;
  const format = ownValue(target, "format");
  const media = ownValue(target, "contentMediaType");
  if (typeof media === "string") return { contentType: media, binary: true };
  const isNewer = versionOf(source.document) === 3.1;
  const isBinary =
    format === "binary" ||
    format === "byte" ||
    (isNewer && ownValue(target, "contentEncoding") !== undefined) ||
    // Since 3.1, a schema without a type describes bytes.
    (isNewer && isObject(target) && !TYPED.some((keyword) => Object.hasOwn(target, keyword)));
  return isBinary ? { contentType: "application/octet-stream", binary: true } : {};
}

function swaggerRequest(
  source: OpenApiSource,
  found: FoundOperation,
  parameters: Located[],
): Operation["request"] {
  const form = parameters.filter((parameter) => ownValue(parameter.value, "in") === "formData");
  const hasBody = parameters.some((parameter) => ownValue(parameter.value, "in") === "body");
  if (!hasBody && form.length === 0) return [];
  const consumes = listOf(source, found, "consumes");
  const files = form.some((parameter) => ownValue(parameter.value, "type") === "file");
  const properties: Record<string, PropertyRule> = {};
  for (const field of form) {
    const name = ownValue(field.value, "name");
    if (typeof name !== "string") continue;
    const { style, explode } = describeParameter(source, field, "formData");
    properties[name] =
      ownValue(field.value, "type") === "file"
        ? { contentType: "application/octet-stream", binary: true }
        : { style, explode };
  }
  const rule = form.length === 0 ? {} : { properties };
  const usual = files
    ? "multipart/form-data"
    : hasBody
      ? "application/json"
      : "application/x-www-form-urlencoded";
  return (consumes.length > 0 ? consumes : [usual]).map((mediaType) => ({ mediaType, rule }));
}

/** `consumes` or `produces`, of the operation or else of the whole description. */
function listOf(source: OpenApiSource, found: FoundOperation, key: "consumes" | "produces"): string[] {
  const own = ownValue(found.operation.value, key) ?? ownValue(source.document, key);
  return Array.isArray(own) ? own.filter((item): item is string => typeof item === "string") : [];
}

function responsesOf(
  source: OpenApiSource,
  found: FoundOperation,
  table: SchemaTable,
): Record<string, ResponseRule> {
  const result: Record<string, ResponseRule> = {};
  const old = versionOf(source.document) === 2;
  for (const [status, response] of members(source, member(source, found.operation, "responses"))) {
    if (!isObject(response.value) || status.startsWith("x-")) continue;
    const content: Record<string, string | null> = {};
    if (old) {
      const schema = member(source, response, "schema");
      const types = listOf(source, found, "produces");
      if (schema !== undefined) {
        for (const type of types.length > 0 ? types : ["application/json"])
          content[type] = table.add(source, schema);
      }
    } else {
      for (const [type, media] of members(source, member(source, response, "content"))) {
        const schema = member(source, media, "schema");
        content[type] = schema === undefined ? null : table.add(source, schema);
      }
    }
    result[status.toUpperCase() === "DEFAULT" ? "default" : status.toUpperCase()] = { content };
  }
  return result;
}

/** Whether a description has operations; otherwise the reason. */
export function sourceProblem(source: OpenApiSource): string | undefined {
  if (!isObject(rootOf(source).value)) return "is no OpenAPI description: it is not an object";
  if (versionOf(source.document) !== undefined) return undefined;
  return 'is no OpenAPI description: it needs "openapi: 3.x.y" or "swagger: 2.0"';
}
