import { createHash } from "node:crypto";
import { TRUST_POLICY_LIMITS } from "@waymark/shared/api-keys/trust-policies/limits.ts";
import { decodeJwt, decodeProtectedHeader, errors } from "jose";
import { z } from "zod";
import { ALGORITHMS } from "../../../lib/signature-algorithms.ts";

const CLAIMS_MAX = 200;

const Header = z.object({
  alg: z.enum(ALGORITHMS),
  kid: z.string().max(500).optional(),
  // An access token of the same issuer is for other servers.
  typ: z
    .string()
    .regex(/^(?:application\/)?jwt$/i)
    .optional(),
  crit: z.undefined().optional(),
});

const Seconds = z.number().min(0).max(1e11);

const ReadClaims = z.looseObject({
  iss: z.string().min(1).max(TRUST_POLICY_LIMITS.issuerMax),
  sub: z.string().min(1).max(2_000),
  aud: z.union([z.string(), z.array(z.string()).min(1).max(20)]),
  exp: Seconds,
  iat: Seconds,
  nbf: Seconds.optional(),
  jti: z.string().min(1).max(500).optional(),
});

/** A token with what it says of itself. Nothing of it is verified. */
export interface ParsedToken {
  text: string;
  issuer: string;
  audiences: readonly string[];
  keyId: string | undefined;
  /** Equal for every text that repeats the token. */
  hash: Buffer;
}

/** Reads a token. Returns undefined for a text that can't be a token of a workload. */
export function parseToken(text: string): ParsedToken | undefined {
  if (text.length > TRUST_POLICY_LIMITS.tokenBytesMax || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text))
    return undefined;
  const header = Header.safeParse(decoded(() => decodeProtectedHeader(text)));
  const claims = ReadClaims.safeParse(decoded(() => decodeJwt(text)));
  if (!header.success || !claims.success || Object.keys(claims.data).length > CLAIMS_MAX) return undefined;
  const { iss: issuer, aud, jti } = claims.data;
  return { text, issuer, audiences: [aud].flat(), keyId: header.data.kid, hash: hashOf(text, issuer, jti) };
}

/** Hashes what the issuer has signed: a signature may be written in more than one way. */
function hashOf(text: string, issuer: string, id: string | undefined): Buffer {
  const signed = id === undefined ? text.slice(0, text.lastIndexOf(".")) : JSON.stringify([issuer, id]);
  return createHash("sha256").update(signed).digest();
}

function decoded(decode: () => object): object | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
