import { isObject } from "@waymark/openapi/json.ts";
import { toJson } from "../expressions/exact-json.ts";
import type { ParameterRule } from "./operation.ts";

/** A value in a path, percent-encoded, with the prefix of its style. */
export function serializePath(name: string, value: unknown, rule: ParameterRule): string {
  const encode = encodeURIComponent;
  if (rule.contentType !== undefined) return encode(asContent(value));
  if (rule.style === "label") return serializeLabel(value, rule.explode, encode);
  if (rule.style === "matrix") return serializeMatrix(name, value, rule.explode, encode);
  return joinSimple(value, rule.explode, encode);
}

/** The pairs of a query parameter, both sides encoded. No pair for an empty list or object. */
export function serializeQuery(name: string, value: unknown, rule: ParameterRule): [string, string][] {
  const encode = rule.allowReserved === true ? encodeReserved : encodeURIComponent;
  const key = encodeURIComponent(name);
  if (rule.contentType !== undefined) return [[key, encode(asContent(value))]];
  if (Array.isArray(value)) return serializeQueryList(key, value, rule, encode);
  if (!isObject(value)) return [[key, encode(asText(value))]];
  const entries = definedEntries(value);
  if (rule.style === "deepObject") {
    return entries.flatMap(([property, item]) => deepPairs(`${name}[${property}]`, item, encode));
  }
  if (rule.explode)
    return entries.map(([property, item]) => [encodeURIComponent(property), encode(asText(item))]);
  const separator = separatorOf(rule);
  const flat = entries.flatMap(([property, item]) => [encode(property), encode(asText(item))]);
  return flat.length === 0 ? [] : [[key, flat.join(separator)]];
}

function serializeQueryList(
  key: string,
  value: unknown[],
  rule: ParameterRule,
  encode: (text: string) => string,
): [string, string][] {
  const items = value
    .filter((item) => item !== undefined && item !== null)
    .map((item) => encode(asText(item)));
  if (items.length === 0) return [];
  if (rule.explode || rule.style === "deepObject") return items.map((item) => [key, item]);
  return [[key, items.join(separatorOf(rule))]];
}

function deepPairs(key: string, value: unknown, encode: (text: string) => string): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(key, item, encode));
  if (!isObject(value)) return [[encodeURIComponent(key), encode(asText(value))]];
  return definedEntries(value).flatMap(([name, item]) => deepPairs(`${key}[${name}]`, item, encode));
}

/** A header's value. */
export function serializeHeader(value: unknown, rule: ParameterRule): string {
  return rule.contentType === undefined ? joinSimple(value, rule.explode, String) : asContent(value);
}

/** The `name=value` parts of a cookie parameter. */
export function serializeCookie(name: string, value: unknown, rule: ParameterRule): string[] {
  return serializeQuery(name, value, rule).map(([key, text]) => `${key}=${text}`);
}

function serializeLabel(value: unknown, explode: boolean, encode: (text: string) => string): string {
  if (Array.isArray(value)) return `.${value.map((item) => encode(asText(item))).join(explode ? "." : ",")}`;
  if (!isObject(value)) return `.${encode(asText(value))}`;
  return `.${pairs(value, encode, explode ? "=" : ",").join(explode ? "." : ",")}`;
}

function serializeMatrix(
  name: string,
  value: unknown,
  explode: boolean,
  encode: (text: string) => string,
): string {
  const key = encode(name);
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(asText(item)));
    return explode ? items.map((item) => `;${key}=${item}`).join("") : `;${key}=${items.join(",")}`;
  }
  if (!isObject(value)) return `;${key}=${encode(asText(value))}`;
  return explode
    ? pairs(value, encode, "=")
        .map((pair) => `;${pair}`)
        .join("")
    : `;${key}=${pairs(value, encode, ",").join(",")}`;
}

function joinSimple(value: unknown, explode: boolean, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((item) => encode(asText(item))).join(",");
  if (!isObject(value)) return encode(asText(value));
  return pairs(value, encode, explode ? "=" : ",").join(",");
}

function pairs(value: Record<string, unknown>, encode: (text: string) => string, between: string): string[] {
  return definedEntries(value).map(([key, item]) => `${encode(key)}${between}${encode(asText(item))}`);
}

function definedEntries(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
}

function separatorOf(rule: ParameterRule): string {
  if (rule.style === "spaceDelimited") return "%20";
  if (rule.style === "pipeDelimited") return "%7C";
  return rule.style === "tabDelimited" ? "%09" : ",";
}

/** Percent-encodes all but RFC 3986's unreserved and reserved characters. */
function encodeReserved(text: string): string {
  return encodeURI(text).replaceAll("%5B", "[").replaceAll("%5D", "]");
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
