import { isObject } from "@waymark/openapi/json.ts";
import { toJson } from "../expressions/exact-json.ts";
import type { BodyRule, ParameterRule, PropertyRule } from "./operation.ts";
import { asText, serializeQuery } from "./serialize.ts";

/** A body to send: text, or bytes if a part is binary, and its Content-Type. */
export interface EncodedBody {
  body: string | Uint8Array;
  contentType: string;
}

/** The body can't be written in the requested media type; the message says why. */
export class BodyError extends Error {}

// Any type may have the suffix (RFC 6839), such as model/gltf+json and image/svg+xml. A header that came twice is a list: its first
// type counts.
const JSON_TYPE = /^(?:(?:application|text)\/json|\w[\w-]*\/[\w.+-]+\+json)(?:\s*[;,]|$)/i;
const XML_TYPE = /^(?:(?:application|text)\/xml|\w[\w-]*\/[\w.+-]+\+xml)(?:\s*[;,]|$)/i;

export function isJson(mediaType: string): boolean {
  if (mediaType === "application/json") return true;
  return JSON_TYPE.test(mediaType);
}

export function isXml(mediaType: string): boolean {
  return XML_TYPE.test(mediaType);
}

/**
 * Writes a payload in a media type. `boundary` separates the parts of a multipart body; `isText` says that the payload is the
 * body's text as it is to be sent.
 *
 * @throws BodyError for a structure in a media type without structure, and for a text that is not of the media type's charset
 */
export function encodeBody(payload: unknown, options: EncodeOptions): EncodedBody {
  const encoded = encode(payload, options);
  checkCharset(encoded);
  return encoded;
}

interface EncodeOptions {
  mediaType: string;
  rule: BodyRule;
  boundary: () => string;
  isText?: boolean;
}

/** A text is sent in UTF-8. JSON is, whatever its charset says; ASCII is the same in most charsets. */
function checkCharset({ body, contentType }: EncodedBody): void {
  const charset = isJson(contentType)
    ? undefined
    : /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
  if (typeof body !== "string" || charset === undefined || /^utf-?8$/i.test(charset)) return;
  if (!/^(?:utf-?(?:16|32)|ucs-?2)/i.test(charset) && !/[^\u0000-\u007F]/.test(body)) return;
  throw new BodyError(
    `its media type names the charset ${charset}, and it would be sent in UTF-8: write charset=utf-8, or only ASCII`,
  );
}

function encode(payload: unknown, options: EncodeOptions): EncodedBody {
  const { mediaType, rule } = options;
  if (options.isText === true && typeof payload === "string")
    return { body: payload, contentType: mediaType };
  if (isJson(mediaType)) return { body: jsonText(payload), contentType: mediaType };
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare === "application/x-www-form-urlencoded") {
    return { body: typeof payload === "string" ? payload : formText(payload, rule), contentType: mediaType };
  }
  if (bare.startsWith("multipart/") && typeof payload !== "string") {
    return multipart(payload, { mediaType: bare, rule, boundary: options.boundary() });
  }
  if (typeof payload === "object" && payload !== null && !isText(bare)) {
    throw new BodyError(`an object can't be written as ${mediaType}: give the payload as a string`);
  }
  return { body: asText(payload), contentType: mediaType };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") && !isXml(mediaType);
}

/** A string that contains JSON is sent as it is, as in templates. Any other string becomes a JSON string. */
function jsonText(payload: unknown): string {
  if (typeof payload !== "string") return toJson(payload) ?? "null";
  try {
    JSON.parse(payload);
    return payload;
  } catch {
    return JSON.stringify(payload);
  }
}

const FORM: ParameterRule = { style: "form", explode: true };

function formText(payload: unknown, rule: BodyRule): string {
  if (!isObject(payload)) throw new BodyError("a form needs an object or a string as its payload");
  const pairs = Object.entries(payload).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    const own = ownRule(rule, name);
    if (own.style === undefined && own.explode === undefined && isObject(value)) {
      return [[encodeURIComponent(name), encodeURIComponent(asText(value))]];
    }
    const parameter: ParameterRule = {
      style: own.style ?? FORM.style,
      explode: own.explode ?? FORM.explode,
      ...(own.allowReserved === true ? { allowReserved: true } : {}),
    };
    return serializeQuery(name, value, parameter);
  });
  return pairs.map(([name, value]) => `${name}=${value}`.replaceAll("%20", "+")).join("&");
}

function ownRule(rule: BodyRule, name: string): PropertyRule {
  const { properties } = rule;
  return properties !== undefined && Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {};
}

function multipart(
  payload: unknown,
  options: { mediaType: string; rule: BodyRule; boundary: string },
): EncodedBody {
  if (!isObject(payload)) throw new BodyError("a multipart body needs an object as its payload");
  const chunks: string[] = [];
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined || value === null) continue;
    const own = ownRule(options.rule, name);
    for (const item of Array.isArray(value) ? value : [value]) {
      chunks.push(`--${options.boundary}\r\n${partHead(name, item, own)}\r\n\r\n${asText(item)}\r\n`);
    }
  }
  return {
    body: `${chunks.join("")}--${options.boundary}--\r\n`,
    contentType: `${options.mediaType}; boundary=${options.boundary}`,
  };
}

function partHead(name: string, value: unknown, rule: PropertyRule): string {
  const quoted = name.replaceAll(/[\r\n"]/g, encodeURIComponent);
  const file = rule.binary === true ? `; filename="${quoted}"` : "";
  const usual = typeof value === "object" ? "application/json" : undefined;
  const contentType = rule.contentType?.split(",")[0]?.trim() ?? usual;
  const type = contentType === undefined ? "" : `\r\nContent-Type: ${contentType.replaceAll(/[\r\n]/g, "")}`;
  return `Content-Disposition: form-data; name="${quoted}"${file}${type}`;
}
