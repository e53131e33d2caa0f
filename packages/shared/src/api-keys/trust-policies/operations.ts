import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import * as addresses from "./addresses.ts";
import { TRUST_POLICY_LIMITS } from "./limits.ts";
import {
  TokenExchangeRequest,
  TokenExchangeResult,
  TrustPolicy,
  TrustPolicyPage,
  TrustPolicyRequest,
} from "./schema.ts";

const tag = "trust-policies";
const PolicyParams = z.object({ trustPolicyId: Uuid });

const REVISION = 'is required: the policy\'s revision in quotes, such as "3"';
const RevisionHeader = z.object({
  "if-match": z
    .string(REVISION)
    .regex(/^"[0-9]{1,9}"$/, 'must be the policy\'s revision in quotes, such as "3"')
    .meta({ description: "The revision that the change was made from, in quotes." }),
});

export const listTrustPolicies = operation({
  id: "listTrustPolicies",
  ...addresses.listTrustPolicies,
  summary: "List trust policies",
  description: "Newest first.",
  tag,
  access: { needs: ["trust:read"] },
  query: PageQuery,
  responses: { 200: TrustPolicyPage },
});

export const createTrustPolicy = operation({
  id: "createTrustPolicy",
  ...addresses.createTrustPolicy,
  summary: "Create a trust policy",
  description:
    "Workloads whose tokens meet its conditions get short-lived keys with its scopes. It gives no more permissions, no later expiry and no " +
    "other networks than the calling key has. Conditions that do not name an owner are refused.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["trust:write"] },
  body: TrustPolicyRequest,
  responses: { 201: TrustPolicy },
  errors: [409],
});

export const getTrustPolicy = operation({
  id: "getTrustPolicy",
  ...addresses.getTrustPolicy,
  summary: "Read a trust policy",
  description: "ETag is its revision, for If-Match.",
  tag,
  access: { needs: ["trust:read"] },
  params: PolicyParams,
  responses: { 200: TrustPolicy },
});

export const replaceTrustPolicy = operation({
  id: "replaceTrustPolicy",
  ...addresses.replaceTrustPolicy,
  summary: "Replace a trust policy's settings",
  description:
    "By the rules for creating it. Settings that are absent get their defaults. If anything but its name changes, the keys that it has issued end.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["trust:write"] },
  params: PolicyParams,
  headers: RevisionHeader,
  body: TrustPolicyRequest,
  responses: { 200: TrustPolicy },
  errors: [409, 412],
});

export const deleteTrustPolicy = operation({
  id: "deleteTrustPolicy",
  ...addresses.deleteTrustPolicy,
  summary: "Delete a trust policy",
  description:
    "The keys that it has issued, and the keys that these created, are refused from the next request on.",
  tag,
  access: { needs: ["trust:write"] },
  params: PolicyParams,
  responses: { 204: NoContent },
});

export const exchangeToken = operation({
  id: "exchangeToken",
  ...addresses.exchangeToken,
  summary: "Exchange a workload's token for a key",
  description:
    "The token exchange of RFC 8693. The body is a form, or JSON. Each token can be exchanged once. If several policies accept it, the one " +
    "with the most conditions issues the key, and the oldest of these.",
  tag,
  access: "public",
  body: TokenExchangeRequest,
  // A form may write each byte of the token as three characters.
  bodyBytesMax: 3 * TRUST_POLICY_LIMITS.tokenBytesMax + 1024,
  responses: { 200: TokenExchangeResult },
  errors: [401, 403, 409, 413, 415, 503],
});
