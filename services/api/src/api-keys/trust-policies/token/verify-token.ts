import { TRUST_POLICY_LIMITS } from "@waymark/shared/api-keys/trust-policies/limits.ts";
import { errors, jwtVerify } from "jose";
import { z } from "zod";
import type { Claims } from "../match-conditions.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { ALGORITHMS } from "../../../lib/signature-algorithms.ts";
import type { ParsedToken } from "./parse-token.ts";

const { clockSkewSeconds, tokenSecondsMax } = TRUST_POLICY_LIMITS;

/** A token whose signature is of its issuer. */
export interface VerifiedToken {
  claims: Claims;
  subject: string;
  expiresAt: Date;
  /** Why it can't be used, as a sentence, such as that it has expired; undefined if it can. */
  fault: string | undefined;
}

const Times = z.object({ sub: z.string(), exp: z.number(), iat: z.number() });

/**
 * Verifies a token's signature and times. `organizationIds` are those whose policies name its issuer.
 *
 * @returns undefined if the signature is not of the issuer
 * @throws AppError `issuer_unavailable`
 */
export async function verifyToken(
  keys: IssuerKeys,
  token: ParsedToken,
  organizationIds: readonly string[],
): Promise<VerifiedToken | undefined> {
  const keySet = await keys.find({ issuer: token.issuer, keyId: token.keyId, organizationIds });
  const { claims, expired } = await verifySignature(token, keySet);
  const times = Times.safeParse(claims);
  if (claims === undefined || !times.success) return undefined;
  const { sub: subject, exp, iat } = times.data;
  return { claims, subject, expiresAt: new Date(exp * 1000), fault: expired ?? lifetimeFault(exp, iat) };
}

async function verifySignature(
  { text, issuer }: ParsedToken,
  keySet: Awaited<ReturnType<IssuerKeys["find"]>>,
): Promise<{ claims?: Claims; expired?: string }> {
  try {
    const { payload } = await jwtVerify(text, keySet, {
      issuer,
      algorithms: [...ALGORITHMS],
      clockTolerance: clockSkewSeconds,
      requiredClaims: ["sub", "aud", "exp", "iat"],
    });
    return { claims: payload };
  } catch (error) {
    // These come after the signature was verified.
    if (error instanceof errors.JWTExpired)
      return { claims: error.payload, expired: "The token has expired." };
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf")
      return { claims: error.payload, expired: "The token is not valid yet: compare the clocks (nbf)." };
    // A key of the issuer that can't be used, such as a short one, is the same as none.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
      return {};
    throw error;
  }
}

function lifetimeFault(exp: number, iat: number): string | undefined {
  if (iat > Date.now() / 1000 + clockSkewSeconds)
    return "The token was issued in the future: compare the clocks (iat).";
  if (exp - iat <= tokenSecondsMax) return undefined;
  return `The token is valid for more than ${tokenSecondsMax / 3600} hours: let the issuer make shorter ones.`;
}
