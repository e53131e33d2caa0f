import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { variableName } from "./names.ts";
import { dereferenced } from "./openapi-shape.ts";
import type { Operation } from "./openapi-shape.ts";

/** The secret input by which a journey authenticates, and the parameter that sends it. */
export interface Credential {
  input: string;
  ref: string;
  parameter: JsonObject;
}

/** The first scheme of the first requirement of an operation; undefined if it requires none. */
export function credentialFor(
  root: JsonObject,
  operation: Operation,
  source: string,
): Credential | undefined {
  const own = ownValue(operation.value, "security");
  const requirement = (Array.isArray(own) ? own : ownArray(root, "security"))[0];
  const name = isObject(requirement) ? Object.keys(requirement)[0] : undefined;
  if (name === undefined) return undefined;
  const schemes =
    ownObject(ownObject(root, "components"), "securitySchemes") ?? ownObject(root, "securityDefinitions");
  const scheme = dereferenced(root, ownValue(schemes, name));
  const type = ownString(scheme, "type");
  const make = (input: string, parameter: JsonObject): Credential => ({
    input,
    ref: `env:${variableName(`${source}-${input}`)}`,
    parameter,
  });
  if (type === "apiKey") {
    const place = ownString(scheme, "in") ?? "header";
    const header = ownString(scheme, "name") || "X-Api-Key";
    if (!["header", "query", "cookie"].includes(place)) return undefined;
    return make("apiKey", { name: header, in: place, value: "$inputs.apiKey" });
  }
  const basic = type === "basic" || ownString(scheme, "scheme")?.toLowerCase() === "basic";
  if (basic) return make("basic", { name: "Authorization", in: "header", value: "Basic {$inputs.basic}" });
  if (type === "http" || type === "oauth2" || type === "openIdConnect") {
    return make("token", { name: "Authorization", in: "header", value: "Bearer {$inputs.token}" });
  }
  return undefined;
}
