import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { OperationName } from "../verdict.ts";
import type { At, Description } from "./description.ts";
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
  const paths = description.members(description.member(root, "paths"));
  const webhooks = [
    ...description.members(description.member(root, "webhooks")),
    ...description.members(description.member(root, "x-webhooks")),
  ];
  return [
    ...paths
      .filter(([path]) => path.startsWith("/"))
      .flatMap(([path, at]) => ofItem(description, at, path, "operation")),
    ...webhooks.flatMap(([name, at]) => ofItem(description, at, name, "webhook")),
  ];
}

function ofItem(
  description: Description,
  item: At,
  path: string,
  kind: OperationName["kind"],
  depth = 0,
): Operation[] {
  const plain = METHODS.flatMap((method) => {
    const at = description.member(item, method);
    return at === undefined || !isObject(at.value) ? [] : [{ method, at }];
  });
  const further = description
    .members(description.member(item, "additionalOperations"))
    .map(([method, at]) => ({ method, at }));
  return [...plain, ...further].map(({ method, at }) => {
    const name = { method: method.toUpperCase(), path, kind };
    return readOperation(description, { name, item, at, depth });
  });
}

interface OperationSource {
  name: OperationName;
  item: At;
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

function sharedAt(description: Description, item: At): At {
  const { root } = description;
  const names = ["security", "consumes", "produces"] as const;
  const outer = names.map((name) => ownValue(root, name) ?? null);
  const schemes =
    ownValue(ownValue(root, "components") ?? null, "securitySchemes") ??
    ownValue(root, "securityDefinitions");
  return { ...item, value: [ownValue(item.value, "parameters") ?? null, schemes ?? null, ...outer] };
}

function readCallbacks(description: Description, at: At, depth: number): Operation[] {
  return description.members(description.member(at, "callbacks")).flatMap(([name, callback]) =>
    description
      .members(callback)
      .filter(([expression]) => !expression.startsWith("x-"))
      .flatMap(([expression, item]) =>
        ofItem(description, item, `${name} ${expression}`, "callback", depth + 1),
      ),
  );
}
