import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { dereferenced, pathItemAt } from "./openapi-shape.ts";
import type { Operation } from "./openapi-shape.ts";
import { reasonable, sampleOf } from "./sample.ts";

/** OpenAPI ignores parameters with these names. */
const IGNORED_HEADERS = /^(accept|content-type|authorization)$/i;

/** The required query, header and cookie parameters of an operation, each with a valid value. */
export function requiredParameters(root: JsonObject, operation: Operation): JsonObject[] {
  const item = pathItemAt(root, operation.path);
  const wanted = new Map<string, JsonObject>();
  // The operation's come last, because they override the path's.
  for (const given of [...ownArray(item, "parameters"), ...ownArray(operation.value, "parameters")]) {
    const parameter = dereferenced(root, given);
    const name = ownString(parameter, "name") ?? "";
    const place = ownString(parameter, "in") ?? "";
    if (name === "" || !["query", "header", "cookie"].includes(place)) continue;
    if (place === "header" && IGNORED_HEADERS.test(name)) continue;
    const key = `${place}:${place === "header" ? name.toLowerCase() : name}`;
    wanted.delete(key);
    if (ownValue(parameter, "required") !== true) continue;
    wanted.set(key, { name, in: place, value: valueFor(root, parameter) });
  }
  return [...wanted.values()];
}

function valueFor(root: JsonObject, parameter: JsonObject): JsonValue {
  const [named] = Object.values(ownObject(parameter, "examples") ?? {});
  const example = ownValue(parameter, "example") ?? ownValue(dereferenced(root, named), "value");
  const shown = reasonable(example);
  if (shown !== undefined) return shown;
  const [media] = Object.values(ownObject(parameter, "content") ?? {});
  // In Swagger 2.0 the parameter is its own schema.
  return sampleOf(root, ownValue(parameter, "schema") ?? ownValue(media, "schema") ?? parameter);
}
