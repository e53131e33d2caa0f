import { createHash, randomBytes } from "node:crypto";

export interface GeneratedToken {
  /** For its holder only. Show it once and never store it. */
  token: string;
  /** SHA-256 of the token, 32 bytes. This is stored. */
  tokenHash: Buffer;
}

/** Generates a random token in base64url, with a prefix that secret scanners and log redaction recognize. */
export function generateToken(prefix: string, bytes: number): GeneratedToken {
  const token = `${prefix}${randomBytes(bytes).toString("base64url")}`;
  return { token, tokenHash: hashToken(token) };
}

// A fast hash is enough: nobody can guess so many random bits, so key stretching would add nothing.
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
