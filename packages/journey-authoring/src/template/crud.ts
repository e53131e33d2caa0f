import { isObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { credentialFor } from "./credentials.ts";
import type { Credential } from "./credentials.ts";
import { inputName, slug, uniqueSlug } from "./names.ts";
import {
  bodyOf,
  callOf,
  pathParameters,
  propertiesOf,
  resourcesOf,
  responseSchema,
  successStatus,
} from "./openapi-shape.ts";
import type { Operation, Resource } from "./openapi-shape.ts";
import { requiredParameters } from "./required-parameters.ts";
import { reasonable, sampleOf } from "./sample.ts";
import { newYaml } from "./write-yaml.ts";

export interface CrudTemplate {
  /** Name for a file: the collection's last fixed part. */
  name: string;
  /** Path of the collection. */
  path: string;
  text: string;
}

interface Making {
  root: JsonObject;
  source: string;
  resource: Resource;
  create: Operation;
  credential: Credential | undefined;
  /** The item's key as an expression: from the response to its creation, or an input if the description has no id. */
  item: string;
  steps: JsonObject[];
  acceptance: JsonObject[];
}

const CREATED = "$steps.create.outputs.id";

/**
 * A template per resource of an OpenAPI document: create, read, change, find, remove, and see that it is gone, as far
 * as the document has these operations. Values come from its examples and schemas.
 */
export function crudTemplates(
  root: JsonObject,
  { source, url }: { source: string; url: string },
): CrudTemplate[] {
  const taken = new Set<string>();
  return resourcesOf(root).flatMap((resource) => {
    const create = resource.collection.get("post");
    if (create === undefined) return [];
    const fixed = resource.path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
    const name = uniqueSlug(fixed.at(-1)?.replace(/\.[a-z]+$/, "") ?? "items", taken, "items");
    const credential = credentialFor(root, create, source);
    const known = { root, source, resource, create, credential, item: CREATED };
    const making: Making = { ...known, steps: [], acceptance: [] };
    return [{ name, path: resource.path, text: newYaml(template(making, name, url)) }];
  });
}

function template(making: Making, name: string, url: string): JsonObject {
  const { source, resource, credential } = making;
  createStep(making, name);
  readStep(making, name);
  updateStep(making, name);
  const list = resource.collection.get("get");
  if (list !== undefined)
    making.steps.push(step(making, "list", list, [status("listed", successStatus(list))]));
  removeSteps(making, name);
  const properties: JsonObject = {};
  for (const parameter of pathParameters(resource.path))
    properties[inputName(parameter)] = { type: "string" };
  if (making.item !== CREATED) properties[inputName(resource.parameter)] = {};
  if (credential !== undefined) properties[credential.input] = { type: "string", format: "password" };
  const extension: JsonObject = {};
  if (credential !== undefined) extension["secrets"] = { [credential.input]: { ref: credential.ref } };
  if (resource.item.has("delete")) {
    extension["teardown"] = [
      making.item === CREATED ? { step: "remove", when: `${CREATED} != null` } : { step: "remove" },
    ];
  }
  extension["acceptanceCriteria"] = making.acceptance;
  const workflow: JsonObject = {
    workflowId: "main",
    summary: `The life of one of ${name}, from creation to removal`,
  };
  if (Object.keys(properties).length > 0) {
    workflow["inputs"] = { type: "object", required: Object.keys(properties), properties };
  }
  if (credential !== undefined) workflow["parameters"] = [credential.parameter];
  workflow["steps"] = making.steps;
  if (making.item === CREATED) workflow["outputs"] = { id: CREATED };
  workflow["x-journey"] = extension;
  return {
    arazzo: "1.1.0",
    $self: `journeys/${slug(name)}-lifecycle`,
    info: {
      title: `${name} lifecycle`,
      version: "1.0.0",
      "x-journey": { schema: 1, template: true, tags: ["crud"] },
    },
    sourceDescriptions: [{ name: source, url, type: "openapi" }],
    workflows: [workflow],
  };
}

function status(id: string, code: number): JsonObject {
  return { "x-id": id, condition: `$statusCode == ${code}` };
}

/** A step with the path parameters its operation has. */
function step(
  making: Making,
  stepId: string,
  operation: Operation,
  successCriteria: JsonValue[],
): JsonObject {
  const { root, resource, source, credential } = making;
  const parameters: JsonObject[] = pathParameters(resource.path).map((name) => ({
    name,
    in: "path",
    value: `$inputs.${inputName(name)}`,
  }));
  if (operation.path === resource.itemPath) {
    parameters.push({ name: resource.parameter, in: "path", value: making.item });
  }
  const given = credential?.parameter;
  parameters.push(
    ...requiredParameters(root, operation).filter(
      (parameter) => parameter["in"] !== given?.["in"] || parameter["name"] !== given?.["name"],
    ),
  );
  const made: JsonObject = { stepId, ...callOf(operation, source) };
  if (parameters.length > 0) made["parameters"] = parameters;
  made["successCriteria"] = successCriteria;
  return made;
}

/** Inserts the body before the criteria, and returns it. */
function withBody(
  { root }: Making,
  made: JsonObject,
  operation: Operation,
): { step: JsonObject; payload: JsonValue } {
  const body = bodyOf(root, operation);
  if (body === undefined) return { step: made, payload: null };
  const payload = reasonable(body.example) ?? sampleOf(root, body.schema);
  const { successCriteria, ...head } = made;
  const requestBody = { contentType: body.contentType, payload };
  return { step: { ...head, requestBody, successCriteria: successCriteria ?? [] }, payload };
}

function createStep(making: Making, name: string): void {
  const { root, create } = making;
  const criteria: JsonObject[] = [status("created", successStatus(create))];
  const { step: made, payload } = withBody(making, step(making, "create", create, criteria), create);
  const kept = keptField(root, create, payload);
  if (kept !== undefined) criteria.push({ "x-id": "kept", condition: kept });
  const identity = identityOf(making, payload);
  if (identity === undefined) making.item = `$inputs.${inputName(making.resource.parameter)}`;
  making.steps.push(identity === undefined ? made : { ...made, outputs: { id: identity } });
  accept(
    making,
    `An entry of ${name} can be created, and its response has the values sent`,
    criteria,
    "create",
  );
}

function readStep(making: Making, name: string): void {
  const read = making.resource.item.get("get");
  if (read === undefined) return;
  const criteria = [status("found", successStatus(read))];
  const identity = identityPointer(making, read);
  if (identity !== undefined) {
    criteria.push({ "x-id": "same", condition: `$response.body#${identity} == ${making.item}` });
  }
  making.steps.push(step(making, "read", read, criteria));
  accept(making, `An entry of ${name} can be read after it was created`, criteria, "read");
}

function updateStep(making: Making, name: string): void {
  const { item } = making.resource;
  const change = item.get("put") ?? item.get("patch") ?? item.get("post");
  if (change === undefined) return;
  const criteria: JsonObject[] = [status("updated", successStatus(change))];
  const { step: made, payload } = withBody(making, step(making, "update", change, criteria), change);
  const kept = keptField(making.root, change, payload);
  if (kept !== undefined) criteria.push({ "x-id": "kept", condition: kept });
  making.steps.push(made);
  accept(making, `An entry of ${name} can be changed`, criteria, "update");
}

function removeSteps(making: Making, name: string): void {
  const { item } = making.resource;
  const remove = item.get("delete");
  if (remove === undefined) return;
  making.steps.push(step(making, "remove", remove, [status("removed", successStatus(remove))]));
  const read = item.get("get");
  if (read === undefined) return;
  const criteria = [status("gone", 404)];
  making.steps.push(step(making, "read-gone", read, criteria));
  accept(making, `An entry of ${name} can no longer be read after it was removed`, criteria, "read-gone");
}

function accept(making: Making, text: string, criteria: JsonObject[], stepId: string): void {
  making.acceptance.push({
    id: `AC-${making.acceptance.length + 1}`,
    text,
    severity: "must",
    provenBy: criteria.map((criterion) => `${stepId}#${ownString(criterion, "x-id") ?? ""}`),
  });
}

/** A condition on the first simple field that is sent and, according to the schema, returned. */
function keptField(root: JsonObject, operation: Operation, payload: JsonValue): string | undefined {
  const properties = propertiesOf(root, responseSchema(root, operation));
  if (!isObject(payload)) return undefined;
  for (const [name, value] of Object.entries(payload)) {
    if (!Object.hasOwn(properties, name) || !/^[A-Za-z0-9_-]+$/.test(name)) continue;
    if (typeof value === "object" && value !== null) continue;
    return `$response.body#${childPointer("", name)} == ${literal(value)}`;
  }
  return undefined;
}

function literal(value: JsonPrimitive): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** The position of the new item's id: in the response or, for a key that the client chooses, in the request. */
function identityOf(making: Making, payload: JsonValue): string | undefined {
  const answered = identityPointer(making, making.create);
  if (answered !== undefined) return `$response.body#${answered}`;
  const sent = isObject(payload) ? ownIdentity(payload, making.resource.parameter) : undefined;
  if (sent !== undefined) return `$request.body#${childPointer("", sent)}`;
  // A response without a schema may have an id; one with a schema that lacks it has none.
  const isDescribed = responseSchema(making.root, making.create) !== undefined;
  return isDescribed ? undefined : "$response.body#/id";
}

/** The position of an item's id in a response: the parameter's name, `id`, or a name that ends with it. */
function identityPointer({ root, resource }: Making, operation: Operation): string | undefined {
  const schema = responseSchema(root, operation);
  const properties = propertiesOf(root, schema);
  const direct = identityIn(properties, resource.parameter);
  if (direct !== undefined) return childPointer("", direct);
  for (const [name, member] of Object.entries(properties)) {
    const inner = identityIn(propertiesOf(root, member), resource.parameter);
    if (inner !== undefined) return childPointer(childPointer("", name), inner);
  }
  return undefined;
}

function identityIn(properties: JsonObject, parameter: string): string | undefined {
  return (
    ownIdentity(properties, parameter) ??
    Object.keys(properties).find((name) => /(Id|_id|uuid|sid)$/.test(name))
  );
}

function ownIdentity(properties: JsonObject, parameter: string): string | undefined {
  return [parameter, "id"].find((name) => Object.hasOwn(properties, name));
}
