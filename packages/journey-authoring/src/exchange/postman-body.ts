import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { foreignJson, isSensitive, safePayload, warnOfText } from "./imported.ts";
import type { Importing } from "./imported.ts";
import { substituted } from "./postman-variables.ts";

const LANGUAGES: Record<string, string> = {
  json: "application/json",
  xml: "application/xml",
  html: "text/html",
  text: "text/plain",
};

export function postmanBody(
  importing: Importing,
  body: JsonObject | undefined,
  name: string,
): JsonObject | undefined {
  if (body === undefined || ownValue(body, "disabled") === true) return undefined;
  switch (ownString(body, "mode")) {
    case "raw":
      return rawBody(importing, body, name);
    case "urlencoded":
      return {
        contentType: "application/x-www-form-urlencoded",
        payload: fields(importing, body, "urlencoded", name),
      };
    case "formdata":
      return { contentType: "multipart/form-data", payload: fields(importing, body, "formdata", name) };
    case "graphql":
      return graphqlBody(importing, ownObject(body, "graphql"));
    case "file":
      importing.notes.add(`${name} sends a file; write its payload by hand.`);
      return undefined;
    default:
      return undefined;
  }
}

function rawBody(importing: Importing, body: JsonObject, name: string): JsonObject | undefined {
  const text = ownString(body, "raw") ?? "";
  if (text.trim() === "") return undefined;
  const language = ownString(ownObject(ownObject(body, "options"), "raw"), "language") ?? "";
  const value = language === "json" || language === "" ? foreignJson(text) : undefined;
  if (isObject(value) || Array.isArray(value)) {
    return {
      contentType: "application/json",
      payload: safePayload(importing, withVariables(importing, value)),
    };
  }
  // JSON with unquoted variables is not valid JSON, so it stays a text with expressions in braces.
  warnOfText(importing, text, `The body of ${name}`);
  const contentType = LANGUAGES[language] ?? (/^\s*[[{]/.test(text) ? "application/json" : "text/plain");
  return { contentType, payload: substituted(importing, text, true) };
}

/** Values nested deeper than `safePayload` accepts stay as they are: it cuts them off. */
function withVariables(importing: Importing, value: JsonValue, depth = 0): JsonValue {
  if (typeof value === "string") return substituted(importing, value, false);
  if (typeof value !== "object" || value === null || depth > 61) return value;
  if (Array.isArray(value)) return value.map((item) => withVariables(importing, item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withVariables(importing, member, depth + 1)]),
  );
}

function fields(importing: Importing, body: JsonObject, key: string, request: string): JsonObject {
  const payload: JsonObject = {};
  for (const field of ownArray(body, key)) {
    const name = ownString(field, "key") ?? "";
    if (name === "" || name === "__proto__" || ownValue(field, "disabled") === true) continue;
    if (ownString(field, "type") === "file")
      importing.notes.add(`${request} sends the file ${name}; write its content by hand.`);
    const secret = isSensitive(name) ? name : undefined;
    payload[name] = substituted(importing, ownString(field, "value") ?? "", false, secret);
  }
  return payload;
}

function graphqlBody(importing: Importing, graphql: JsonObject | undefined): JsonObject {
  const variables = foreignJson(ownString(graphql, "variables") ?? "") ?? {};
  const payload: JsonObject = { query: substituted(importing, ownString(graphql, "query") ?? "", false) };
  payload["variables"] = safePayload(importing, withVariables(importing, variables));
  return { contentType: "application/json", payload };
}
