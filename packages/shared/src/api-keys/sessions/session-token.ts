import { createHash, randomBytes } from "node:crypto";

/** Matches every possible token: 256 bits in base64url, with a prefix that secret scanners and log redaction recognize. */
const TOKEN = /^wms_[0-9A-Za-z_-]{43}$/;

export interface GeneratedSessionToken {
  /** For the browser's cookie only. */
  token: string;
  /** SHA-256 of the token, 32 bytes. This is stored. */
  tokenHash: Buffer;
}

/** Generates a random token. */
export function generateSessionToken(): GeneratedSessionToken {
  const token = `wms_${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: hash(token) };
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseSessionToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hash(token) : undefined;
}

// A fast hash is enough: nobody can guess 256 random bits, so key stretching would add nothing.
function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
