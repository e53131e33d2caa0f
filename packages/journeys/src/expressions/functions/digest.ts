import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { Bytes } from "../bytes.ts";
import { EvaluationLimit } from "../engine-error.ts";
import { toJson } from "../exact-json.ts";
import { toBase64 } from "../to-base64.ts";

export function digest(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

/** @throws EvaluationLimit for an algorithm that there is not */
export function hmacOf(algorithm: string, key: Uint8Array, message: Uint8Array): Uint8Array {
  if (algorithm === "sha256") return hmac(sha256, key, message);
  if (algorithm === "sha512") return hmac(sha512, key, message);
  if (algorithm === "sha1") return hmac(sha1, key, message);
  throw new EvaluationLimit("$fn.hmac has an unknown algorithm");
}

export function encoded(bytes: Uint8Array, encoding: string): string {
  if (encoding === "hex") return bytesToHex(bytes);
  const text = toBase64(bytes);
  return encoding === "base64" ? text : text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Returns the bytes of a value: of a text its UTF-8, or what it encodes; a structure counts as its JSON.
 *
 * @throws EvaluationLimit if the text is not so encoded; the message has nothing of it
 */
export function bytesOf(name: string, value: unknown, encoding: string): Uint8Array {
  if (value instanceof Bytes) return value.content;
  const text = typeof value === "string" ? value : (toJson(value) ?? "");
  if (!text.isWellFormed())
    throw new EvaluationLimit(`$fn.${name} has a text with half of a character in it`);
  if (encoding === "utf8") return new TextEncoder().encode(text);
  try {
    if (encoding === "hex") return hexToBytes(text);
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) =>
      unit.charCodeAt(0),
    );
  } catch {
    throw new EvaluationLimit(`$fn.${name} has a key that is not ${encoding}`);
  }
}
