import { isObject, ownString, ownValue, type JsonObject } from "@waymark/openapi/json.ts";
import type { At, Description, Item } from "./description.ts";
import { mediaTypesOf } from "./media-types.ts";
import type { Body, MediaType } from "./operation.ts";
import { encodingOfFields, readEncodings } from "./read-encodings.ts";
import { effectiveParameters } from "./read-parameters.ts";

const JSON_TYPE = "application/json";

export function readBody(description: Description, item: Item, at: At): Body | undefined {
  if (description.dialect === "2.0") return readBody2(description, item, at);
  const body = description.member(at, "requestBody");
  if (body === undefined || !isObject(body.value)) return undefined;
  return {
    required: ownValue(body.value, "required") === true,
    content: readContent(description, body),
    at: body,
  };
}

/** Returns the media types of a body or a response by their name in lower case. */
export function readContent(description: Description, at: At): Map<string, MediaType> {
  const content = new Map<string, MediaType>();
  for (const [name, media] of description.members(description.member(at, "content"))) {
    content.set(name.toLowerCase(), {
      name,
      schema: optionalSchema(description, media, "schema"),
      itemSchema: optionalSchema(description, media, "itemSchema"),
      encoding: readEncodings(description, media),
      at: media,
    });
  }
  return content;
}

function optionalSchema(description: Description, media: At, key: string) {
  return ownValue(media.value, key) === undefined ? undefined : description.schema(media, key);
}

/** The parameter `body`, or the fields of a form. */
function readBody2(description: Description, item: Item, at: At): Body | undefined {
  const parameters = effectiveParameters(description, item, at);
  const body = parameters.find(({ value }) => ownString(value, "in") === "body");
  const fields = parameters.filter(({ value }) => ownString(value, "in") === "formData");
  if (body === undefined && fields.length === 0) return undefined;
  const types = mediaTypesOf(description, at, "consumes");
  if (body !== undefined) {
    const schema =
      ownValue(body.value, "schema") === undefined ? undefined : description.schema(body, "schema");
    const required = ownValue(body.value, "required") === true;
    return { required, content: contentOf(types.length === 0 ? [JSON_TYPE] : types, schema, body), at: body };
  }
  const form = formSchema(fields);
  const first = fields[0] ?? at;
  const schema = [description.node({ value: form, file: first.file, pointer: first.pointer })];
  const hasFile = fields.some(({ value }) => ownString(value, "type") === "file");
  const form2 = types.filter((type) => /form/i.test(type));
  const defaults = [hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded"];
  const required = fields.some(({ value }) => ownValue(value, "required") === true);
  const content = contentOf(form2.length === 0 ? defaults : form2, schema, first);
  const encoding = encodingOfFields(fields);
  for (const [type, media] of content) content.set(type, { ...media, encoding });
  return { required, content, at: first };
}

function formSchema(fields: readonly At[]): JsonObject {
  const named = fields.map(({ value }) => [ownString(value, "name") ?? "", value] as const);
  return {
    type: "object",
    properties: Object.fromEntries(named),
    required: named.filter(([, value]) => ownValue(value, "required") === true).map(([name]) => name),
  };
}

export function contentOf(
  types: readonly string[],
  schema: MediaType["schema"],
  at: At,
): Map<string, MediaType> {
  return new Map(
    types.map((name) => [
      name.toLowerCase(),
      { name, schema, itemSchema: undefined, encoding: new Map(), at },
    ]),
  );
}
