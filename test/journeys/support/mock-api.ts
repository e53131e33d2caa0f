import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import {
  dereferenced,
  propertiesOf,
  responseSchema,
  successStatus,
} from "@waymark/journey-authoring/template/openapi-shape.ts";
import type { Method, Operation } from "@waymark/journey-authoring/template/openapi-shape.ts";
import { sampleOf } from "@waymark/journey-authoring/template/sample.ts";
import type { FakeAnswer, FakeRequest } from "./fake.ts";

/** A server that implements an OpenAPI file: it checks required parts, and stores what it gets. */
export interface MockApi {
  answer: (request: FakeRequest) => FakeAnswer;
  /** Why requests were refused. */
  refusals: string[];
  /** The stored items by path. */
  items: Map<string, JsonObject>;
}

export function mockApi(root: JsonObject): MockApi {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false });
  const items = new Map<string, JsonObject>();
  const refusals: string[] = [];
  let made = 0;
  const answer = (request: FakeRequest): FakeAnswer => {
    const url = new URL(request.url);
    const found = operationFor(root, request.method, decodeURIComponent(url.pathname));
    if (found === undefined) return { status: 404, body: { error: "no such path" } };
    const refusal = refusalOf(root, found.operation, { request, url, ajv });
    if (refusal !== undefined) {
      refusals.push(`${request.method} ${url.pathname}: ${refusal}`);
      return { status: refusal === "credentials" ? 401 : 400, body: { error: refusal } };
    }
    const { operation, path, isItem } = found;
    const status = successStatus(operation);
    if (!isItem && request.method === "POST") {
      const sent = parsedBody(request);
      const id =
        chosenId(root, found.operation, sent) ??
        (isCounted(root, operation) ? 7000 + ++made : `id-${++made}`);
      // Without a description of the response, it is the item with its id.
      const item = responseOf(root, operation, { id, sent }) ?? { ...sent, id };
      items.set(`${path}/${id}`, isObject(item) ? item : {});
      return { status, body: item };
    }
    if (!isItem) return { status, body: responseOf(root, operation, { id: undefined, sent: {} }) ?? "" };
    const item = items.get(path);
    if (item === undefined) return { status: 404, body: { error: "not found" } };
    if (request.method === "DELETE") items.delete(path);
    const id = path.split("/").at(-1) ?? "";
    const sent = { ...item, ...parsedBody(request) };
    const body = responseOf(root, operation, { id: /^\d+$/.test(id) ? Number(id) : id, sent });
    return { status, body: body ?? "" };
  };
  return { answer, refusals, items };
}

interface FoundOperation {
  operation: Operation;
  /** Without an extension: `/pets/7`. */
  path: string;
  /** The path ends in a parameter. */
  isItem: boolean;
}

const METHODS: readonly Method[] = ["get", "post", "put", "patch", "delete"];

function operationFor(root: JsonObject, given: string, pathname: string): FoundOperation | undefined {
  const method = METHODS.find((name) => name === given.toLowerCase());
  const matches = Object.keys(ownObject(root, "paths") ?? {}).filter((template) => {
    const pattern = template
      .split(/\{[^{}]*\}/)
      .map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
      .join("[^/]+");
    return new RegExp(`${pattern}$`).test(pathname);
  });
  // A fixed path takes precedence over one with parameters.
  const template = matches.toSorted((a, b) => a.split("{").length - b.split("{").length)[0];
  if (template === undefined || method === undefined) return undefined;
  const value = ownObject(dereferenced(root, ownValue(ownObject(root, "paths"), template)), method);
  if (value === undefined) return undefined;
  const bare = template.replace(/\.[a-z]+$/, "");
  const path = pathname.replace(/\.[a-z]+$/, "").replace(/\/$/, "");
  return { operation: { method, path: template, value }, path, isItem: /\}\/?$/.test(bare) };
}

function refusalOf(
  root: JsonObject,
  operation: Operation,
  { request, url, ajv }: { request: FakeRequest; url: URL; ajv: Ajv2020 },
): string | undefined {
  const security = ownValue(operation.value, "security") ?? ownValue(root, "security");
  if (Array.isArray(security) && security.length > 0 && !security.some((needed) => isMet(root, needed))) {
    return "credentials";
  }
  const item = dereferenced(root, ownValue(ownObject(root, "paths"), operation.path));
  for (const given of [...ownArray(item, "parameters"), ...ownArray(operation.value, "parameters")]) {
    const parameter = dereferenced(root, given);
    const name = ownString(parameter, "name") ?? "";
    if (ownValue(parameter, "required") !== true) continue;
    if (
      ownString(parameter, "in") === "query" &&
      ![...url.searchParams.keys()].some((key) => key.startsWith(name))
    )
      return `query ${name} is missing`;
    if (ownString(parameter, "in") === "header" && request.headers[name.toLowerCase()] === undefined)
      return `header ${name} is missing`;
  }
  return bodyRefusal(root, operation, { request, ajv });

  function isMet(document: JsonObject, needed: JsonValue): boolean {
    return Object.keys(isObject(needed) ? needed : {}).every((name) => {
      const schemes =
        ownObject(ownObject(document, "components"), "securitySchemes") ??
        ownObject(document, "securityDefinitions");
      const scheme = dereferenced(document, ownValue(schemes, name));
      if (ownString(scheme, "type") !== "apiKey")
        return (request.headers["authorization"] ?? "").includes(" ");
      const key = ownString(scheme, "name") ?? "";
      return ownString(scheme, "in") === "query"
        ? url.searchParams.has(key)
        : request.headers[key.toLowerCase()] !== undefined;
    });
  }
}

function bodyRefusal(
  root: JsonObject,
  operation: Operation,
  { request, ajv }: { request: FakeRequest; ajv: Ajv2020 },
): string | undefined {
  const description = dereferenced(root, ownValue(operation.value, "requestBody"));
  const content = ownObject(description, "content") ?? {};
  const type = (request.headers["content-type"] ?? "").split(";")[0] ?? "";
  if (request.body === undefined)
    return ownValue(description, "required") === true ? "the body is missing" : undefined;
  if (Object.keys(content).length === 0) return undefined;
  if (!Object.hasOwn(content, type)) return `the type ${type} isn't accepted`;
  const schema = ownValue(ownObject(content, type), "schema");
  if (!type.endsWith("json") || !isObject(schema)) return undefined;
  const validate: ValidateFunction = ajv.compile(standAlone(root, schema));
  return validate(JSON.parse(request.body)) ? undefined : ajv.errorsText(validate.errors);
}

/** With everything that it refers to. Examples may contain what looks like an id of a schema. */
function standAlone(root: JsonObject, schema: JsonObject): JsonObject {
  const whole = { ...schema, components: root["components"] ?? {}, definitions: root["definitions"] ?? {} };
  const value: JsonValue = JSON.parse(
    JSON.stringify(whole, (key, member: JsonValue) => {
      if (/^(examples?|\$id)$/.test(key)) return undefined;
      return isObject(member) && Object.hasOwn(member, "nullable") && member["type"] === undefined
        ? { ...member, nullable: undefined }
        : member;
    }),
  );
  return isObject(value) ? value : {};
}

function parsedBody(request: FakeRequest): JsonObject {
  if (request.body === undefined || request.body === "") return {};
  if (!/json/.test(request.headers["content-type"] ?? ""))
    return Object.fromEntries(new URLSearchParams(request.body));
  const value: JsonValue = JSON.parse(request.body);
  return isObject(value) ? value : {};
}

/** The name of the path parameter of the items of a collection. */
function itemParameter(root: JsonObject, operation: Operation): string {
  const base = operation.path.replace(/\.[a-z]+$/, "");
  const names = Object.keys(ownObject(root, "paths") ?? {}).flatMap((path) =>
    path.startsWith(`${base}/{`) ? (/^\{([^{}]+)\}/.exec(path.slice(base.length + 1))?.[1] ?? []) : [],
  );
  return names[0] ?? "id";
}

function idName(names: string[], parameter: string): string | undefined {
  return (
    [parameter, "id"].find((name) => names.includes(name)) ??
    names.find((name) => /(Id|_id|uuid|sid)$/.test(name))
  );
}

/** A key that the client chooses, because the response has none. */
function chosenId(root: JsonObject, operation: Operation, sent: JsonObject): string | number | undefined {
  if (responseSchema(root, operation) !== undefined) return undefined;
  const chosen = sent[itemParameter(root, operation)] ?? sent["id"];
  return typeof chosen === "string" || typeof chosen === "number" ? chosen : undefined;
}

function isCounted(root: JsonObject, operation: Operation): boolean {
  const properties = propertiesOf(root, responseSchema(root, operation));
  const name = idName(Object.keys(properties), itemParameter(root, operation)) ?? "";
  return ownValue(dereferenced(root, properties[name]), "type") === "integer";
}

/** A sample of the response, with the sent values and the id where the description allows them. */
function responseOf(
  root: JsonObject,
  operation: Operation,
  known: { id: string | number | undefined; sent: JsonObject },
): JsonValue | undefined {
  const schema = responseSchema(root, operation);
  if (schema === undefined) return undefined;
  const sample = sampleOf(root, schema);
  const properties = propertiesOf(root, schema);
  if (Object.keys(properties).length === 0) return sample;
  const parameter =
    /\{([^{}]+)\}(?:\.[a-z]+)?\/?$/.exec(operation.path)?.[1] ?? itemParameter(root, operation);
  return filled(root, properties, { sample: isObject(sample) ? sample : {}, parameter, ...known }, 0);
}

function filled(
  root: JsonObject,
  properties: JsonObject,
  known: { sample: JsonObject; parameter: string; id: string | number | undefined; sent: JsonObject },
  depth: number,
): JsonObject {
  const result: JsonObject = { ...known.sample };
  const id = idName(Object.keys(properties), known.parameter);
  for (const [name, property] of Object.entries(properties)) {
    const inner = propertiesOf(root, property);
    if (known.id !== undefined && name === id) result[name] = known.id;
    else if (Object.hasOwn(known.sent, name)) result[name] = known.sent[name] ?? null;
    else if (depth === 0 && Object.keys(inner).length > 0) {
      result[name] = filled(root, inner, { ...known, sample: ownObject(result, name) ?? {} }, 1);
    }
  }
  return result;
}
