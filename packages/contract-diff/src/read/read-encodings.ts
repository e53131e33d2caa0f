import { ownString, ownValue } from "@waymark/openapi/json.ts";
import type { At, Description } from "./description.ts";
import type { PartEncoding } from "./operation.ts";
import { readHeaders } from "./read-headers.ts";
import { collectionStyle } from "./read-parameters.ts";

/** Returns the form of each part: by its name, by its index, or of all other items. */
export function readEncodings(description: Description, media: At): Map<string, PartEncoding> {
  const parts = description.members(description.member(media, "encoding"));
  const items = description.members(description.member(media, "prefixEncoding"));
  const rest = description.member(media, "itemEncoding");
  return new Map([
    ...parts.map(([name, at]) => [name, readEncoding(description, at)] as const),
    ...items.map(([index, at]) => [`[${index}]`, readEncoding(description, at)] as const),
    ...(rest === undefined ? [] : [["[]", readEncoding(description, rest)] as const]),
  ]);
}

function readEncoding(description: Description, at: At): PartEncoding {
  const explode = ownValue(at.value, "explode");
  return {
    contentTypes: ownString(at.value, "contentType")
      ?.split(",")
      .map((type) => type.trim().toLowerCase())
      .toSorted(),
    style: ownString(at.value, "style"),
    explode: typeof explode === "boolean" ? explode : undefined,
    allowReserved: ownValue(at.value, "allowReserved") === true,
    headers: readHeaders(description, at),
  };
}

/** The fields of a form in Swagger 2.0 say themselves how lists are written. */
export function encodingOfFields(fields: readonly At[]): Map<string, PartEncoding> {
  const lists = fields.filter(({ value }) => ownString(value, "type") === "array");
  return new Map(
    lists.map(({ value }) => {
      const { style, explode } = collectionStyle(value, "query");
      const encoding = { contentTypes: undefined, style, explode, allowReserved: false, headers: new Map() };
      return [ownString(value, "name") ?? "", encoding] as const;
    }),
  );
}
