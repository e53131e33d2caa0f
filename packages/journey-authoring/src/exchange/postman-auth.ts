import { ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { declareSecret } from "./imported.ts";
import type { Importing } from "./imported.ts";
import { substituted } from "./postman-variables.ts";

/** The parameters for Postman's `auth`. Literal credentials become secret inputs. */
export function postmanAuth(importing: Importing, auth: JsonObject | undefined): JsonObject[] {
  const type = ownString(auth, "type");
  if (auth === undefined || type === undefined || type === "noauth") return [];
  const values = settings(auth, type);
  if (type === "bearer") {
    const token = substituted(importing, values.get("token") ?? "", false, "token");
    return authorization(`Bearer {${token === "" ? "$inputs.token" : token}}`);
  }
  if (type === "apikey") {
    const name = values.get("key") ?? "X-Api-Key";
    const place = values.get("in") === "query" ? "query" : "header";
    return [{ name, in: place, value: substituted(importing, values.get("value") ?? "", false, "api-key") }];
  }
  if (type === "basic") {
    declareSecret(importing, "basic");
    importing.notes.add("Basic authentication: give the input basic as base64 of user:password.");
    return authorization("Basic {$inputs.basic}");
  }
  declareSecret(importing, "token");
  importing.notes.add(`The authentication ${type} isn't carried out; give a ready token as the input token.`);
  return authorization("Bearer {$inputs.token}");
}

function authorization(value: string): JsonObject[] {
  return [{ name: "Authorization", in: "header", value }];
}

/** Version 2.1 has a list of {key, value}, version 2.0 an object. */
function settings(auth: JsonObject, type: string): Map<string, string> {
  const given = ownValue(auth, type);
  const pairs: [string, JsonValue | undefined][] = Array.isArray(given)
    ? ownArray(auth, type).map((item) => [ownString(item, "key") ?? "", ownValue(item, "value")])
    : Object.entries(typeof given === "object" && given !== null ? given : {});
  return new Map(pairs.flatMap(([key, value]) => (typeof value === "string" ? [[key, value] as const] : [])));
}
