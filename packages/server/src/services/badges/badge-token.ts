import { type GeneratedToken, generateToken, hashToken } from "../../lib/secret-token.ts";

/** Matches every possible token: 192 bits. */
const TOKEN = /^wmb_[0-9A-Za-z_-]{32}$/;

/** Generates a random token for the badge's address. */
export function generateBadgeToken(): GeneratedToken {
  return generateToken("wmb_", 24);
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseBadgeToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hashToken(token) : undefined;
}
