import { ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { credentialFor } from "./credentials.ts";
import { inputName, slug } from "./names.ts";
import { bodyOf, callOf, pathParameters, successStatus } from "./openapi-shape.ts";
import type { Operation } from "./openapi-shape.ts";
import { requiredParameters } from "./required-parameters.ts";
import { reasonable, sampleOf } from "./sample.ts";
import { newYaml } from "./write-yaml.ts";

/**
 * A journey that calls one operation of an OpenAPI document, with an acceptance criterion that it answers. Parameters of its path are
 * inputs; other values come from the document's examples and schemas.
 */
export function operationJourney(
  root: JsonObject,
  operation: Operation,
  { title, source, url }: { title: string; source: string; url: string },
): string {
  const { properties, parameters, secrets } = requestOf(root, operation, source);
  const status = successStatus(operation);
  const names = Object.keys(properties);
  const workflow: JsonObject = { workflowId: "main" };
  if (names.length > 0) workflow["inputs"] = { type: "object", required: names, properties };
  workflow["steps"] = [
    {
      stepId: "call",
      ...callOf(operation, source),
      ...(parameters.length > 0 && { parameters }),
      ...bodyField(root, operation),
      successCriteria: [{ "x-id": "answered", condition: `$statusCode == ${status}` }],
    },
  ];
  const summary = ownString(operation.value, "summary") ?? "";
  const answers = `${operation.method.toUpperCase()} ${operation.path} answers with ${status}`;
  const acceptanceCriteria = [
    { id: "AC-1", text: summary === "" ? answers : summary, severity: "must", provenBy: ["call#answered"] },
  ];
  workflow["x-journey"] = { ...(secrets !== undefined && { secrets }), acceptanceCriteria };
  return newYaml({
    arazzo: "1.1.0",
    $self: `journeys/${slug(title)}`,
    info: { title, version: "1.0.0", "x-journey": { schema: 1 } },
    sourceDescriptions: [{ name: source, url, type: "openapi" }],
    workflows: [workflow],
  });
}

/** Returns everything that is sent besides the body, and the inputs that it needs. */
function requestOf(
  root: JsonObject,
  operation: Operation,
  source: string,
): { properties: JsonObject; parameters: JsonObject[]; secrets: JsonObject | undefined } {
  const properties: JsonObject = {};
  const parameters = pathParameters(operation.path).map((name): JsonObject => {
    properties[inputName(name)] = { type: "string" };
    return { name, in: "path", value: `$inputs.${inputName(name)}` };
  });
  const credential = credentialFor(root, operation, source);
  const given = credential?.parameter;
  if (credential !== undefined) {
    properties[credential.input] = { type: "string", format: "password" };
    parameters.push(credential.parameter);
  }
  parameters.push(
    ...requiredParameters(root, operation).filter(
      (parameter) => parameter["in"] !== given?.["in"] || parameter["name"] !== given?.["name"],
    ),
  );
  return {
    properties,
    parameters,
    secrets: credential && { [credential.input]: { ref: credential.ref } },
  };
}

function bodyField(root: JsonObject, operation: Operation): JsonObject {
  const body = bodyOf(root, operation);
  if (body === undefined) return {};
  const payload = reasonable(body.example) ?? sampleOf(root, body.schema);
  return { requestBody: { contentType: body.contentType, payload } };
}
