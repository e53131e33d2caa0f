import { createHash, randomBytes } from "node:crypto";

/** Matches every token there can be: 256 bits in base64url behind a prefix that scanners and the logs know. */
const TOKEN = /^wms_[0-9A-Za-z_-]{43}$/;

export interface GeneratedSessionToken {
  /** For the browser's cookie, and nowhere else. */
  token: string;
  /** SHA-256 of the token, 32 bytes: what is stored. */
  tokenHash: Buffer;
}

/** A new random token. */
export function generateSessionToken(): GeneratedSessionToken {
  const token = `wms_${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: hash(token) };
}

/** The hash of a token; undefined for what can't be one, before any query. */
export function parseSessionToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hash(token) : undefined;
}

// A fast hash is right here: there are 256 random bits, so there is nothing to guess and nothing to stretch.
function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
