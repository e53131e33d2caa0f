import { isObject } from "@waymark/openapi/json.ts";
import { encodeReserved, encodeUnreserved } from "@waymark/openapi/percent-encoding.ts";
import { toJson } from "../expressions/exact-json.ts";
import type { ParameterRule } from "./operation.ts";

type Encode = (text: string) => string;

/**
 * A value in a path, percent-encoded, with the prefix of its style. Reserved characters that would end the path or a segment of it
 * are encoded even if others are allowed.
 */
export function serializePath(name: string, value: unknown, rule: ParameterRule): string {
  if (rule.contentType !== undefined) return encodeUnreserved(asContent(value));
  const encode: Encode =
    rule.allowReserved === true
      ? (text) => encodeReserved(text).replaceAll(/[/?#]/g, encodeUnreserved)
      : encodeUnreserved;
  if (rule.style === "label") return serializeLabel(value, rule.explode, encode);
  if (rule.style === "matrix") return serializeMatrix(name, value, rule.explode, encode);
  return joinSimple(value, rule.explode, encode);
}

/** The pairs of a query parameter, both sides encoded. No pair for an empty list or object. */
export function serializeQuery(name: string, value: unknown, rule: ParameterRule): [string, string][] {
  return pairsOf(name, value, rule, {
    encodeName: encodeUnreserved,
    // A hash would end the query.
    encode:
      rule.allowReserved === true
        ? (text) => encodeReserved(text).replaceAll("#", encodeUnreserved)
        : encodeUnreserved,
  });
}

/** The pairs of a form's property as `serializeQuery` makes them, but as plain text: parts of a multipart body have no escapes. */
export function serializeParts(name: string, value: unknown, rule: ParameterRule): [string, string][] {
  return pairsOf(name, value, rule, { encodeName: String, encode: String });
}

interface Encoding {
  encodeName: Encode;
  encode: Encode;
}

function pairsOf(name: string, value: unknown, rule: ParameterRule, encoding: Encoding): [string, string][] {
  const { encodeName, encode } = encoding;
  const key = encodeName(name);
  if (rule.contentType !== undefined) return [[key, encode(asContent(value))]];
  if (Array.isArray(value)) return listPairs(key, value, rule, encoding);
  if (!isObject(value)) return [[key, encode(asText(value))]];
  const entries = definedEntries(value);
  if (rule.style === "deepObject") {
    return entries.flatMap(([property, item]) => deepPairs(`${name}[${property}]`, item, encoding));
  }
  if (rule.explode) return entries.map(([property, item]) => [encodeName(property), encode(asText(item))]);
  const flat = entries.flatMap(([property, item]) => [encode(property), encode(asText(item))]);
  return flat.length === 0 ? [] : [[key, flat.join(separatorOf(rule, encodeName))]];
}

function listPairs(
  key: string,
  value: unknown[],
  rule: ParameterRule,
  { encodeName, encode }: Encoding,
): [string, string][] {
  const items = definedItems(value).map((item) => encode(asText(item)));
  if (items.length === 0) return [];
  if (rule.explode || rule.style === "deepObject") return items.map((item) => [key, item]);
  return [[key, items.join(separatorOf(rule, encodeName))]];
}

function deepPairs(key: string, value: unknown, encoding: Encoding): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(key, item, encoding));
  if (!isObject(value)) return [[encoding.encodeName(key), encoding.encode(asText(value))]];
  return definedEntries(value).flatMap(([name, item]) => deepPairs(`${key}[${name}]`, item, encoding));
}

/** A header's value. */
export function serializeHeader(value: unknown, rule: ParameterRule): string {
  return rule.contentType === undefined ? joinSimple(value, rule.explode, String) : asContent(value);
}

/** The `name=value` parts of a cookie parameter. The style `cookie` has no escapes: the value is a cookie's text already. */
export function serializeCookie(name: string, value: unknown, rule: ParameterRule): string[] {
  const written =
    rule.style === "cookie" ? serializeParts(name, value, rule) : serializeQuery(name, value, rule);
  return written.map(([key, text]) => `${key}=${text}`);
}

function serializeLabel(value: unknown, explode: boolean, encode: Encode): string {
  if (Array.isArray(value)) {
    return `.${definedItems(value)
      .map((item) => encode(asText(item)))
      .join(explode ? "." : ",")}`;
  }
  if (!isObject(value)) return `.${encode(asText(value))}`;
  return `.${pairs(value, encode, explode ? "=" : ",").join(explode ? "." : ",")}`;
}

/** RFC 6570, 3.2.7: a name whose value is empty has no equals sign. */
function serializeMatrix(name: string, value: unknown, explode: boolean, encode: Encode): string {
  const key = encodeUnreserved(name);
  const assigned = (left: string, text: string) => (text === "" ? `;${left}` : `;${left}=${text}`);
  if (Array.isArray(value)) {
    const items = definedItems(value).map((item) => encode(asText(item)));
    return explode ? items.map((item) => assigned(key, item)).join("") : assigned(key, items.join(","));
  }
  if (!isObject(value)) return assigned(key, encode(asText(value)));
  if (!explode) return assigned(key, pairs(value, encode, ",").join(","));
  return definedEntries(value)
    .map(([property, item]) => assigned(encode(property), encode(asText(item))))
    .join("");
}

function joinSimple(value: unknown, explode: boolean, encode: Encode): string {
  if (Array.isArray(value)) {
    return definedItems(value)
      .map((item) => encode(asText(item)))
      .join(",");
  }
  if (!isObject(value)) return encode(asText(value));
  return pairs(value, encode, explode ? "=" : ",").join(",");
}

function pairs(value: Record<string, unknown>, encode: Encode, between: string): string[] {
  return definedEntries(value).map(([key, item]) => `${encode(key)}${between}${encode(asText(item))}`);
}

function definedEntries(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
}

function definedItems(value: readonly unknown[]): unknown[] {
  return value.filter((item) => item !== undefined && item !== null);
}

/** A comma is a delimiter, so it is never encoded. */
function separatorOf({ style }: ParameterRule, encode: Encode): string {
  if (style === "spaceDelimited") return encode(" ");
  if (style === "pipeDelimited") return encode("|");
  return style === "tabDelimited" ? encode("\t") : ",";
}

/** A value as text: a string as it is, a structure as JSON, null as nothing. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return toJson(value) ?? "";
}

/** A value that is described by a media type; JSON is the only one with a structure. */
function asContent(value: unknown): string {
  return typeof value === "string" ? value : (toJson(value) ?? "");
}
