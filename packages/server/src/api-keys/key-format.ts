import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

// `wmk_<keyid>_<secret><crc>`: base62, so that a double click selects it and shells need no quotes.
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_ID_LENGTH = 12;
/** 33 characters of base62 are 196 bits. */
const SECRET_LENGTH = 33;
/** 62^6 > 2^32, so the checksum always fits. */
const CHECKSUM_LENGTH = 6;

/** Matches every possible key. The checksum then rejects similar texts. */
export const API_KEY_PATTERN = /^wmk_[0-9A-Za-z]{12}_[0-9A-Za-z]{39}$/;

const PREFIX_LENGTH = "wmk_".length + KEY_ID_LENGTH;

export interface GeneratedApiKey {
  /** The complete key. Show it once and never store it. */
  rawKey: string;
  /** `wmk_<keyid>`: public; lookups use it. */
  prefix: string;
  /** SHA-256 of the secret part, 32 bytes. This is stored. */
  secretHash: Buffer;
}

/** Generates a random key. */
export function generateApiKey(): GeneratedApiKey {
  const prefix = `wmk_${randomBase62(KEY_ID_LENGTH)}`;
  const secret = randomBase62(SECRET_LENGTH);
  return {
    rawKey: `${prefix}_${secret}${checksum(`${prefix}_${secret}`)}`,
    prefix,
    secretHash: hashSecret(secret),
  };
}

/**
 * Parses a key. Returns undefined if the format or the checksum is wrong, so that such keys need no query.
 */
export function parseApiKey(rawKey: string): { prefix: string; secretHash: Buffer } | undefined {
  if (!API_KEY_PATTERN.test(rawKey)) return undefined;
  const body = rawKey.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== rawKey.slice(-CHECKSUM_LENGTH)) return undefined;
  return { prefix: rawKey.slice(0, PREFIX_LENGTH), secretHash: hashSecret(body.slice(PREFIX_LENGTH + 1)) };
}

/** Compares two secret hashes in constant time. */
export function secretHashesEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

// A fast hash is enough: nobody can guess 196 random bits, so key stretching would add nothing.
function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function randomBase62(length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += ALPHABET.charAt(randomInt(ALPHABET.length));
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
