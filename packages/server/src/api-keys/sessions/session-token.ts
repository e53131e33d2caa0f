import { type GeneratedToken, generateToken, hashToken } from "../../lib/secret-token.ts";

/** Matches every possible token: 256 bits. */
const TOKEN = /^wms_[0-9A-Za-z_-]{43}$/;

/** Generates a random token for the browser's cookie. */
export function generateSessionToken(): GeneratedToken {
  return generateToken("wms_", 32);
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseSessionToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hashToken(token) : undefined;
}
