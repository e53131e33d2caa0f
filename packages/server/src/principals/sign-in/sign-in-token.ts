import { createHmac } from "node:crypto";
import { type GeneratedToken, generateToken, hashToken } from "../../lib/secret-token.ts";

/** Matches every possible token: 256 bits. */
const TOKEN = /^wmn_[0-9A-Za-z_-]{43}$/;

/** Generates a random token for the cookie of a browser that begins to sign in. */
export function generateSignInToken(): GeneratedToken {
  return generateToken("wmn_", 32);
}

/** The hash of a token; undefined for a malformed one, which needs no query. */
export function parseSignInToken(token: string): Buffer | undefined {
  return TOKEN.test(token) ? hashToken(token) : undefined;
}

/** The values that bind the provider's response to the browser. */
export interface SignInChecks {
  state: string;
  nonce: string;
  /** The PKCE verifier: 43 characters. */
  codeVerifier: string;
}

/** Derives the checks from the browser's token, so that nothing stored can complete the sign-in. */
export function signInChecksOf(token: string): SignInChecks {
  const derive = (purpose: string) => createHmac("sha256", token).update(purpose).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("code_verifier") };
}
