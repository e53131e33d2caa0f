import { type GeneratedToken, generateToken, hashToken } from "../../lib/secret-token.ts";

/** Matches every possible token: 256 bits. */
const TOKEN = /^wml_[0-9A-Za-z_-]{43}$/;

/** Generates a random token for a link to a run. */
export function generateLinkToken(): GeneratedToken {
  return generateToken("wml_", 32);
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseLinkToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hashToken(token) : undefined;
}
