import { isObject } from "@waymark/openapi/json.ts";
import { encodeUnreserved } from "@waymark/openapi/percent-encoding.ts";
import { Bytes, findBytes } from "../expressions/bytes.ts";
import { toJson } from "../expressions/exact-json.ts";
import type { BodyRule, ParameterRule, PropertyRule } from "./operation.ts";
import { explodesByDefault } from "./parameter-rule.ts";
import { asText, serializeParts, serializeQuery } from "./serialize.ts";

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
  if (payload instanceof Bytes) return wholeBytes(payload, mediaType);
  if (options.isText === true && typeof payload === "string")
    return { body: payload, contentType: mediaType };
  if (isJson(mediaType)) {
    refuseBytes(payload, mediaType);
    return { body: jsonText(payload), contentType: mediaType };
  }
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare === "application/x-www-form-urlencoded") {
    refuseBytes(payload, mediaType);
    return { body: typeof payload === "string" ? payload : formText(payload, rule), contentType: mediaType };
  }
  if (bare.startsWith("multipart/") && typeof payload !== "string") {
    return multipart(payload, { mediaType: bare, rule, boundary: options.boundary() });
  }
  refuseBytes(payload, mediaType);
  const sequence = sequenceOf(bare);
  if (sequence !== undefined && typeof payload !== "string") {
    const items = Array.isArray(payload) ? payload : [payload];
    return {
      body: items.map((item) => `${sequence}${toJson(item) ?? "null"}\n`).join(""),
      contentType: mediaType,
    };
  }
  if (typeof payload === "object" && payload !== null && !isText(bare)) {
    throw new BodyError(`an object can't be written as ${mediaType}: give the payload as a string`);
  }
  return { body: asText(payload), contentType: mediaType };
}

function wholeBytes(payload: Bytes, mediaType: string): EncodedBody {
  if (isJson(mediaType)) refuseBytes(payload, mediaType);
  return { body: contentOf(payload), contentType: mediaType };
}

/** Half of a file must not be sent as if it were all of it. @throws BodyError */
function contentOf(bytes: Bytes): Uint8Array {
  if (!bytes.isCut) return bytes.content;
  throw new BodyError(
    `the response that its bytes come from was cut after ${bytes.content.length} of them, so they are not the whole file`,
  );
}

function refuseBytes(payload: unknown, mediaType: string): void {
  if (findBytes(payload) === undefined) return;
  throw new BodyError(
    `bytes can't be written as ${mediaType}: give them as the whole body of another media type, or as a part of a multipart body`,
  );
}

/** Returns the text before each value of a sequence of JSON texts: none in lines, a record separator by RFC 7464. */
function sequenceOf(mediaType: string): string | undefined {
  if (mediaType === "application/jsonl" || mediaType === "application/x-ndjson") return "";
  return mediaType === "application/json-seq" || mediaType.endsWith("+json-seq") ? "\u001E" : undefined;
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

/** Whether an encoding says how values are written as text, instead of their media type. */
function isStyled({ style, explode, allowReserved }: PropertyRule): boolean {
  return style !== undefined || explode !== undefined || allowReserved !== undefined;
}

function styleOf({ style = "form", explode, allowReserved }: PropertyRule): ParameterRule {
  return {
    style,
    explode: explode ?? explodesByDefault(style),
    ...(allowReserved === true ? { allowReserved } : {}),
  };
}

function formText(payload: unknown, rule: BodyRule): string {
  if (!isObject(payload)) throw new BodyError("a form needs an object or a string as its payload");
  const pairs = Object.entries(payload).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    const own = ownRule(rule, name);
    if (!isStyled(own) && isObject(value)) {
      return [[encodeUnreserved(name), encodeUnreserved(asText(value))]];
    }
    return serializeQuery(name, value, styleOf(own));
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
  const { mediaType, rule, boundary } = options;
  const isForm = mediaType === "multipart/form-data";
  const parts =
    Array.isArray(payload) && !isForm ? listedParts(payload, rule) : namedParts(payload, rule, isForm);
  const chunks = parts.flatMap(({ head, content }) => [`--${boundary}\r\n${head}\r\n\r\n`, content, "\r\n"]);
  return {
    body: joined([...chunks, `--${boundary}--\r\n`]),
    contentType: `${mediaType}; boundary=${boundary}`,
  };
}

/** Text stays text, unless a part has bytes. */
function joined(chunks: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  const encoder = new TextEncoder();
  const parts = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

interface Part {
  head: string;
  content: string | Uint8Array;
}

function namedParts(payload: unknown, rule: BodyRule, isForm: boolean): Part[] {
  if (!isObject(payload)) throw new BodyError("a multipart body needs an object as its payload");
  return Object.entries(payload).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const own = ownRule(rule, name);
    if (isForm && isStyled(own)) {
      return serializeParts(name, value, styleOf(own)).map(([key, text]) => ({
        head: disposition(key, {}),
        content: text,
      }));
    }
    return (Array.isArray(value) ? value : [value]).map((item) => {
      const type = partType(item, own);
      // Without a type, a part is text/plain (RFC 7578, 4.4).
      const shown = item instanceof Bytes ? { ...own, binary: true } : own;
      const head = disposition(name, shown) + (type === undefined ? "" : `\r\n${contentTypeLine(type)}`);
      return { head, content: partContent(item, type) };
    });
  });
}

/** The parts of a list have no names (OpenAPI 3.2). */
function listedParts(payload: readonly unknown[], { prefix = [], item = {} }: BodyRule): Part[] {
  return payload.map((value, index) => {
    const type = partType(value, prefix[index] ?? item) ?? "text/plain";
    return { head: contentTypeLine(type), content: partContent(value, type) };
  });
}

function partContent(value: unknown, type: string | undefined): string | Uint8Array {
  if (value instanceof Bytes && (type === undefined || !isJson(type))) return contentOf(value);
  refuseBytes(value, type ?? "text/plain");
  return asText(value);
}

function disposition(name: string, rule: PropertyRule): string {
  const quoted = name.replaceAll(/[\r\n"]/g, encodeURIComponent);
  const file = rule.binary === true ? `; filename="${quoted}"` : "";
  return `Content-Disposition: form-data; name="${quoted}"${file}`;
}

function contentTypeLine(type: string): string {
  return `Content-Type: ${type.replaceAll(/[\r\n]/g, "")}`;
}

/** The media type of a part, undefined for text. Of an encoding's list it is the first that is no range: a part has one type. */
function partType(value: unknown, { contentType }: PropertyRule): string | undefined {
  if (value instanceof Bytes && (contentType === undefined || contentType.includes("*")))
    return value.mediaType === "" ? "application/octet-stream" : value.mediaType;
  if (contentType === undefined) return typeof value === "object" ? "application/json" : undefined;
  const types = contentType.split(",").map((type) => type.trim());
  return types.find((type) => !type.includes("*")) ?? "application/octet-stream";
}
