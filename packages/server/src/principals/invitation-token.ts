import { type GeneratedToken, generateToken, hashToken } from "../lib/secret-token.ts";

/** Matches every possible token: 256 bits. */
const TOKEN = /^wmi_[0-9A-Za-z_-]{43}$/;

/** Generates a random token for the link of an invitation. */
export function generateInvitationToken(): GeneratedToken {
  return generateToken("wmi_", 32);
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseInvitationToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hashToken(token) : undefined;
}
