import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { OperationName } from "../verdict.ts";
import type { At, Description, Item } from "./description.ts";
import { readLifecycle } from "./lifecycle.ts";
import type { Operation } from "./operation.ts";
import { readBody } from "./read-content.ts";
import { readParameters } from "./read-parameters.ts";
import { readResponses } from "./read-responses.ts";
import { readSecurity } from "./read-security.ts";
import { readServers } from "./read-servers.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const CALLBACK_DEPTH_MAX = 3;

/** Lists the operations of paths and webhooks. */
export function listOperations(description: Description): Operation[] {
  const root = description.rootAt();
  const paths = description.items(description.member(root, "paths"));
  const webhooks = [
    ...description.items(description.member(root, "webhooks")),
    ...description.items(description.member(root, "x-webhooks")),
  ];
  return [
    ...paths
      .filter(([path]) => path.startsWith("/"))
      .flatMap(([path, item]) => ofItem(description, item, path, "operation")),
    ...webhooks.flatMap(([name, item]) => ofItem(description, item, name, "webhook")),
  ];
}

function ofItem(
  description: Description,
  item: Item,
  path: string,
  kind: OperationName["kind"],
  depth = 0,
): Operation[] {
  const plain = METHODS.flatMap((method) => {
    const at = description.itemMember(item, method);
    return at === undefined || !isObject(at.value) ? [] : [{ method, at }];
  });
  const further = description
    .members(description.itemMember(item, "additionalOperations"))
    .map(([method, at]) => ({ method, at }));
  return [...plain, ...further].map(({ method, at }) => {
    const name = { method: method.toUpperCase(), path, kind };
    return readOperation(description, { name, item, at, depth });
  });
}

interface OperationSource {
  name: OperationName;
  item: Item;
  at: At;
  depth: number;
}

function readOperation(description: Description, { name, item, at, depth }: OperationSource): Operation {
  return {
    ...name,
    description,
    operationId: ownString(at.value, "operationId"),
    parameters: readParameters(description, item, at),
    body: readBody(description, item, at),
    responses: readResponses(description, at),
    security: readSecurity(description, at),
    servers: readServers(description, item, at),
    ...readLifecycle(at.value),
    stability: ownString(at.value, "x-stability-level"),
    callbacks: depth < CALLBACK_DEPTH_MAX ? readCallbacks(description, at, depth) : [],
    at,
    shared: sharedAt(description, item),
  };
}

function sharedAt(description: Description, item: Item): At[] {
  const { root } = description;
  const names = ["security", "consumes", "produces"] as const;
  const outer = names.map((name) => ownValue(root, name) ?? null);
  const schemes =
    ownValue(ownValue(root, "components") ?? null, "securitySchemes") ??
    ownValue(root, "securityDefinitions");
  const parameters = item.map((layer) => ({ ...layer, value: ownValue(layer.value, "parameters") ?? null }));
  return [{ ...description.rootAt(), value: [schemes ?? null, ...outer] }, ...parameters];
}

function readCallbacks(description: Description, at: At, depth: number): Operation[] {
  return description.members(description.member(at, "callbacks")).flatMap(([name, callback]) =>
    description
      .items(callback)
      .filter(([expression]) => !expression.startsWith("x-"))
      .flatMap(([expression, item]) =>
        ofItem(description, item, `${name} ${expression}`, "callback", depth + 1),
      ),
  );
}
