import { type JsonValue, ownValue } from "@waymark/openapi/json.ts";
import type { At, Description } from "./description.ts";
import type { Header } from "./operation.ts";
import { collectionStyle } from "./read-parameters.ts";

/** Returns the headers of a response or of a part of a body, by their name in lower case. Content-Type is described elsewhere. */
export function readHeaders(description: Description, owner: At): Map<string, Header> {
  const headers = new Map<string, Header>();
  for (const [name, at] of description.members(description.member(owner, "headers"))) {
    if (name.toLowerCase() === "content-type") continue;
    const [content] = description.members(description.member(at, "content"));
    const schema =
      description.dialect === "2.0"
        ? [description.node(at)]
        : description.schema(content?.[1] ?? at, "schema");
    const required = ownValue(at.value, "required") === true;
    const written =
      content === undefined ? styleOf(description, at.value) : `content ${content[0].toLowerCase()}`;
    headers.set(name.toLowerCase(), { name, required, schema, written, at });
  }
  return headers;
}

/** An object or a list is exploded or not. */
function styleOf({ dialect }: Description, value: JsonValue): string {
  if (dialect === "2.0") return collectionStyle(value, "header").style;
  return ownValue(value, "explode") === true ? "exploded" : "simple";
}
