import { ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { At, Description, Item } from "./description.ts";
import { readLifecycle } from "./lifecycle.ts";
import type { Parameter, ParameterPlace } from "./operation.ts";

const PLACES: Record<string, ParameterPlace> = {
  path: "path",
  query: "query",
  header: "header",
  cookie: "cookie",
  querystring: "querystring",
};
/** Header parameters that OpenAPI tells readers to ignore. */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);
const STYLES: Record<ParameterPlace, string> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
  querystring: "form",
};
/** Styles of the formats of collections in Swagger 2.0. */
const COLLECTIONS: Record<string, string> = {
  ssv: "spaceDelimited",
  tsv: "tabDelimited",
  pipes: "pipeDelimited",
};

export function readParameters(description: Description, item: Item, at: At): Parameter[] {
  return effectiveParameters(description, item, at).flatMap((parameter) => {
    const { value } = parameter;
    const place = PLACES[ownString(value, "in") ?? ""];
    const name = ownString(value, "name");
    if (place === undefined || name === undefined) return [];
    if (place === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return [];
    const style = readStyle(description, value, place);
    return [
      {
        in: place,
        name,
        required: place === "path" || ownValue(value, "required") === true,
        ...style,
        allowReserved: ownValue(value, "allowReserved") === true,
        allowEmptyValue: ownValue(value, "allowEmptyValue") === true,
        ...readValue(description, parameter),
        ...readLifecycle(value),
        at: parameter,
      },
    ];
  });
}

/** Returns the path's parameters, overridden by the operation's. */
export function effectiveParameters(description: Description, item: Item, at: At): At[] {
  const found = new Map<string, At>();
  for (const holder of [...item.toReversed(), at]) {
    for (const [, parameter] of description.members(description.member(holder, "parameters"))) {
      const place = ownString(parameter.value, "in") ?? "";
      const name = ownString(parameter.value, "name") ?? "";
      found.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter);
    }
  }
  return [...found.values()];
}

function readStyle(
  description: Description,
  value: JsonValue,
  place: ParameterPlace,
): Pick<Parameter, "style" | "explode"> {
  if (description.dialect === "2.0") return collectionStyle(value, place);
  const style = ownString(value, "style") ?? STYLES[place];
  const explode = ownValue(value, "explode");
  return { style, explode: typeof explode === "boolean" ? explode : style === "form" };
}

/** Returns how Swagger 2.0 writes a list, with the lists inside it. */
export function collectionStyle(
  value: JsonValue,
  place: ParameterPlace,
): Pick<Parameter, "style" | "explode"> {
  const collection = ownString(value, "collectionFormat") ?? "csv";
  const style = COLLECTIONS[collection] ?? STYLES[place];
  const items = ownValue(value, "items") ?? null;
  const inner = ownString(items, "type") === "array" ? ` of ${collectionStyle(items, place).style}` : "";
  return { style: `${style}${inner}`, explode: collection === "multi" };
}

function readValue(description: Description, at: At): Pick<Parameter, "schema" | "mediaType"> {
  if (description.dialect === "2.0") return { schema: [description.node(at)], mediaType: undefined };
  const [content] = description.members(description.member(at, "content"));
  if (content === undefined) return { schema: description.schema(at, "schema"), mediaType: undefined };
  return { schema: description.schema(content[1], "schema"), mediaType: content[0].toLowerCase() };
}
