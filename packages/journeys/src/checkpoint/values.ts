import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { Bytes } from "../expressions/bytes.ts";

/** The origin of a secret, to find its text again: a reference such as `env:NAME`, or an input that is given again. */
export type SecretOrigin = { ref: string } | { input: string; path: string[] };

/** A checkpoint's value that can't be read. */
export class ValueError extends Error {}

/**
 * Encodes a run's value as JSON, without loss. A member whose name begins with `$` marks what JSON can't express or must not
 * contain: an integer beyond 2^53 as `{$integer}`, bytes as `{$bytes}`, a text with secrets in it as `{$text}`, and as `{$entries}` an
 * object whose names would be taken for one of these.
 */
export function encodeValue(value: unknown, secrets: ReadonlyMap<string, SecretOrigin>): unknown {
  if (typeof value === "bigint") return { $integer: String(value) };
  if (typeof value === "string") return encodeText(value, secrets);
  if (value instanceof Bytes) return encodeBytes(value, secrets);
  if (Array.isArray(value)) return value.map((item) => encodeValue(item ?? null, secrets));
  return isObject(value) ? encodeRecord(value, secrets) : value;
}

/** Encodes named values like `encodeValue`, and their names, too. */
export function encodeRecord(
  value: Readonly<Record<string, unknown>>,
  secrets: ReadonlyMap<string, SecretOrigin>,
): Record<string, unknown> {
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown, unknown][] =>
    member === undefined ? [] : [[name, encodeText(name, secrets), encodeValue(member, secrets)]],
  );
  const isPlain = entries.every(
    ([name, text]) => text === name && !name.startsWith("$") && name !== "__proto__",
  );
  if (isPlain) return Object.fromEntries(entries.map(([name, , member]) => [name, member]));
  return { $entries: entries.map(([, text, member]) => [text, member]) };
}

/** Bytes are written as characters of Latin-1, so that secrets in them are found. */
function encodeBytes(bytes: Bytes, secrets: ReadonlyMap<string, SecretOrigin>): unknown {
  const { content, mediaType, isCut } = bytes;
  let text = "";
  for (const byte of content) text += String.fromCharCode(byte);
  return { $bytes: { content: encodeText(text, secrets), mediaType, isCut } };
}

function encodeText(text: string, secrets: ReadonlyMap<string, SecretOrigin>): unknown {
  const parts: (string | SecretOrigin)[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const found = longestAt(text, at, secrets);
    if (found === undefined) continue;
    if (at > from) parts.push(text.slice(from, at));
    parts.push(found.origin);
    from = at + found.length;
    at = from - 1;
  }
  if (parts.length === 0) return text;
  if (from < text.length) parts.push(text.slice(from));
  return { $text: parts };
}

function longestAt(
  text: string,
  at: number,
  secrets: ReadonlyMap<string, SecretOrigin>,
): { length: number; origin: SecretOrigin } | undefined {
  let longest: { length: number; origin: SecretOrigin } | undefined;
  for (const [secret, origin] of secrets) {
    if (secret.length > (longest?.length ?? 0) && text.startsWith(secret, at))
      longest = { length: secret.length, origin };
  }
  return longest;
}

/** The value that was encoded. `secretOf` gives the text of a secret. @throws ValueError */
export function decodeValue(value: unknown, secretOf: (origin: SecretOrigin) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeValue(item, secretOf));
  if (!isObject(value)) return value;
  const [mark = "", ...more] = Object.keys(value);
  if (!mark.startsWith("$")) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, decodeValue(member, secretOf)]),
    );
  }
  const content: unknown = value[mark];
  if (mark === "$integer" && more.length === 0 && typeof content === "string" && /^-?\d+$/.test(content))
    return BigInt(content);
  if (mark === "$text" && more.length === 0 && Array.isArray(content))
    return content.map((part) => textOf(part, secretOf)).join("");
  if (mark === "$bytes" && more.length === 0) return bytesOf(content, secretOf);
  if (mark === "$entries" && more.length === 0 && Array.isArray(content))
    return Object.fromEntries(content.map((entry) => entryOf(entry, secretOf)));
  throw new ValueError(`"${mark}" marks no value`);
}

function bytesOf(encoded: unknown, secretOf: (origin: SecretOrigin) => string): Bytes {
  const content = decodeValue(ownValue(encoded, "content"), secretOf);
  const mediaType = ownValue(encoded, "mediaType");
  if (typeof content !== "string" || typeof mediaType !== "string")
    throw new ValueError("bytes have no content");
  const bytes = Uint8Array.from(content, (unit) => unit.charCodeAt(0));
  return new Bytes(bytes, { mediaType, isCut: ownValue(encoded, "isCut") === true });
}

function textOf(part: unknown, secretOf: (origin: SecretOrigin) => string): string {
  if (typeof part === "string") return part;
  const ref = ownValue(part, "ref");
  if (typeof ref === "string") return secretOf({ ref });
  const [input, path] = [ownValue(part, "input"), ownValue(part, "path")];
  if (typeof input === "string" && Array.isArray(path)) return secretOf({ input, path: path.map(String) });
  throw new ValueError("a part of a text is neither text nor a secret");
}

function entryOf(entry: unknown, secretOf: (origin: SecretOrigin) => string): [string, unknown] {
  const [name, member] = Array.isArray(entry) ? entry : [];
  const decoded = decodeValue(name, secretOf);
  if (typeof decoded !== "string") throw new ValueError("a member has no name");
  return [decoded, decodeValue(member, secretOf)];
}
