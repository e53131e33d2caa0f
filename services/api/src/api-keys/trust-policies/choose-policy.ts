import type { StoredTrustPolicy } from "@waymark/server/api-keys/trust-policies/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ErrorDetail } from "@waymark/shared/lib/error-details.ts";
import { type Claims, claimValues, unmetClaims } from "./match-conditions.ts";
import { issuerKind, isOfOwner, ownerPart } from "./owners.ts";
import type { ParsedToken } from "./token/parse-token.ts";
import type { VerifiedToken } from "./token/verify-token.ts";

/** A verified token, with what it says. */
export interface Identity {
  token: ParsedToken;
  verified: VerifiedToken;
}

/** The response to everybody whose token proves nothing that a policy is about. It must not tell which policies there are. */
export function identityRefused(): AppError {
  return new AppError(
    "identity_refused",
    "This token is not accepted: it is not valid, or no trust policy names its issuer and its owner. " +
      "`waymark doctor` shows what the token says; compare it with the trust policies.",
  );
}

/** True if a policy gives the identity a key. */
export function accepts(policy: StoredTrustPolicy, { token, verified }: Identity): boolean {
  return (
    verified.fault === undefined &&
    policy.issuer === token.issuer &&
    token.audiences.includes(policy.audience) &&
    unmetClaims(policy.conditions, verified.claims).length === 0
  );
}

/**
 * Returns the policy that issues the key: of those that accept the identity the one with the most conditions, and the oldest of these.
 *
 * @throws AppError `identity_refused`, or `identity_not_trusted` with the failed conditions if the token is of an owner that a policy names
 */
export function choosePolicy(policies: readonly StoredTrustPolicy[], identity: Identity): StoredTrustPolicy {
  const [chosen] = policies
    .filter((policy) => accepts(policy, identity))
    .toSorted((a, b) => conditionCount(b) - conditionCount(a) || (a.id < b.id ? -1 : 1));
  if (chosen !== undefined) return chosen;
  throw refusalOf(policies, identity);
}

function conditionCount({ conditions }: StoredTrustPolicy): number {
  return Object.keys(conditions).length;
}

/** Explains the refusal by the policy that comes closest, and only to workloads of the owner that it names. */
function refusalOf(policies: readonly StoredTrustPolicy[], identity: Identity): AppError {
  const [nearest] = policies
    .filter((policy) => isOfItsOwner(policy, identity.verified.claims))
    .map((policy) => failuresOf(policy, identity))
    .toSorted((a, b) => a.length - b.length);
  if (nearest === undefined) return identityRefused();
  const details = nearest.slice(0, 20);
  return new AppError(
    "identity_not_trusted",
    `The token is genuine, but the trust policy that names its owner does not accept it. ${details.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`,
    { data: { details } },
  );
}

function isOfItsOwner({ issuer, conditions }: StoredTrustPolicy, claims: Claims): boolean {
  const isOwn = issuerKind(issuer).isOwn === true;
  return (
    isOwn ||
    Object.entries(conditions).some(([claim, accepted]) => {
      const parts = [accepted].flat().flatMap((pattern) => ownerPart(issuer, claim, pattern) ?? []);
      return claimValues(claims, claim).some((value) => parts.some((part) => isOfOwner(value, part)));
    })
  );
}

/** Returns what a token fails, as places and sentences. It repeats the token's values only, never those of the policy. */
function failuresOf(
  { audience, conditions }: StoredTrustPolicy,
  { token, verified }: Identity,
): ErrorDetail[] {
  const failures: ErrorDetail[] = [];
  if (verified.fault !== undefined)
    failures.push({ path: "token", message: verified.fault.replace(/\.$/, "") });
  if (!token.audiences.includes(audience)) {
    failures.push({ path: "aud", message: `is ${shown(token.audiences)}, which the policy does not accept` });
  }
  for (const claim of unmetClaims(conditions, verified.claims)) {
    const values = claimValues(verified.claims, claim);
    const message =
      values.length === 0
        ? "is not in the token, and the policy has a condition on it"
        : `is ${shown(values)}, which the policy does not accept${caseHint(conditions[claim], values)}`;
    failures.push({ path: claim, message });
  }
  return failures;
}

/** Names are compared exactly. A difference in upper and lower case is hard to see. */
function caseHint(accepted: string | string[] | undefined, values: readonly string[]): string {
  const lower = new Map([["claim", [accepted ?? []].flat().map((pattern) => pattern.toLowerCase())]]);
  const isSame = unmetClaims(Object.fromEntries(lower), {
    claim: values.map((value) => value.toLowerCase()),
  });
  return isSame.length === 0 ? " (it differs in upper and lower case only)" : "";
}

const SHOWN_MAX = 3;
const SHOWN_CHARS_MAX = 200;

function shown(values: readonly string[]): string {
  const texts = values
    .slice(0, SHOWN_MAX)
    .map((value) => JSON.stringify(value.toWellFormed().slice(0, SHOWN_CHARS_MAX)));
  return texts.join(", ") + (values.length > SHOWN_MAX ? ` and ${values.length - SHOWN_MAX} more` : "");
}
