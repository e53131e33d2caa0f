import { z } from "zod";
import { IsoDateTime, label, text, Uuid } from "../../lib/schema.ts";
import { ApiKeyScope, CreateApiKeyRequest } from "../schema.ts";
import { TRUST_POLICY_LIMITS } from "./limits.ts";

const {
  nameMax,
  issuerMax,
  audienceMax,
  conditionsMax,
  valuesMax,
  claimMax,
  valueMax,
  lifetimeSecondsMin,
  lifetimeSecondsMax,
  lifetimeSecondsDefault,
  tokenBytesMax,
} = TRUST_POLICY_LIMITS;

/** The address of an issuer in the form that its tokens have it in. */
const Issuer = text({ min: 1, max: issuerMax }).check((ctx) => {
  const problem = issuerProblem(ctx.value);
  if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
});

function issuerProblem(value: string): string | undefined {
  if (!URL.canParse(value) || !value.startsWith("https://")) return "must be an https:// address";
  const { href, username, password, search, hash } = new URL(value);
  if (username !== "" || password !== "") return "must not contain a user or a password";
  if (search !== "" || hash !== "" || /[?#]/.test(value)) return "must not have a query or a fragment";
  // A token's `iss` is compared as text, so another spelling of the address would accept no token.
  return href === value || href === `${value}/`
    ? undefined
    : `must be written as tokens have it: ${href.replace(/\/$/, "")}`;
}

const ClaimValue = text({ min: 1, max: valueMax });

const ClaimValues = z.union([ClaimValue, z.array(ClaimValue).min(1).max(valuesMax)]);

/** Accepted values by claim: all claims must match, each by one of its values. */
const Conditions = z
  .preprocess(
    (given, ctx) => {
      if (typeof given !== "object" || given === null) return given;
      const problem = claimsProblem(Object.keys(given));
      if (problem === undefined) return given;
      ctx.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    },
    z.record(z.string(), ClaimValues),
  )
  .meta({
    description:
      "Accepted values by claim: a text or a list of texts, in which * stands for any characters. All claims must match. A name that " +
      "begins with / is a JSON pointer, such as /kubernetes.io/namespace. At least one claim must name the owner of the workload.",
    examples: [{ repository_owner_id: "65", repository: "acme/*", ref: ["refs/heads/main", "refs/tags/*"] }],
  });

function claimsProblem(names: readonly string[]): string | undefined {
  if (names.length === 0) return "must have at least one claim";
  if (names.length > conditionsMax) return `must have at most ${conditionsMax} claims`;
  const isName = (name: string) => name !== "" && name !== "__proto__" && name.length <= claimMax;
  if (names.every((name) => isName(name) && /^[\u0021-\u007e]+$/.test(name))) return undefined;
  return `the name of a claim must have 1 to ${claimMax} visible ASCII characters`;
}

/** The issuer's settings and what its workloads get. Creates a policy, or replaces all of its settings. */
export const TrustPolicyRequest = z
  .strictObject({
    name: label({ min: 1, max: nameMax }),
    issuer: Issuer.meta({
      description: "The address of the OpenID Connect issuer, as `iss` of its tokens has it.",
      examples: ["https://token.actions.githubusercontent.com"],
    }),
    audience: text({ min: 1, max: audienceMax })
      .optional()
      .meta({
        description:
          "What `aud` of a token must have. Default: the address of this server. On a server with several organizations it must " +
          "contain the organization's id, so that a token is for one of them only.",
      }),
    conditions: Conditions,
    scopes: CreateApiKeyRequest.shape.scopes,
    lifetimeSeconds: z
      .int()
      .min(lifetimeSecondsMin)
      .max(lifetimeSecondsMax)
      .default(lifetimeSecondsDefault)
      .meta({ description: "How long an issued key is valid." }),
    allowedNetworks: CreateApiKeyRequest.shape.allowedNetworks,
    expiresAt: CreateApiKeyRequest.shape.expiresAt.meta({
      description: "From then on, nothing is issued. Required if the calling key expires.",
    }),
  })
  .meta({ id: "TrustPolicyRequest" });
export type TrustPolicyRequest = z.infer<typeof TrustPolicyRequest>;

/** A rule by which workloads of an issuer get short-lived keys in exchange for its tokens. */
export const TrustPolicy = z
  .object({
    id: Uuid,
    name: z.string(),
    issuer: z.string(),
    audience: z.string(),
    conditions: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    scopes: z.array(ApiKeyScope),
    lifetimeSeconds: z.int(),
    allowedNetworks: z.array(z.string()).nullable(),
    expiresAt: IsoDateTime.nullable(),
    warnings: z.array(z.string()).meta({
      description: "What the conditions accept, although it may not be meant.",
    }),
    revision: z.int(),
    createdByKeyId: Uuid,
    updatedByKeyId: Uuid.meta({ description: "The key that set its scopes: `createdBy` of what it issues." }),
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
  })
  .meta({ id: "TrustPolicy" });
export type TrustPolicy = z.infer<typeof TrustPolicy>;

export const TrustPolicyPage = z
  .object({ trustPolicies: z.array(TrustPolicy), nextCursor: z.string().optional() })
  .meta({ id: "TrustPolicyPage" });

export const TOKEN_EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
export const JWT_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** A token of a workload, to be exchanged for a key. The names are those of RFC 8693. */
export const TokenExchangeRequest = z
  .strictObject({
    grant_type: z.literal(TOKEN_EXCHANGE_GRANT),
    subject_token: text({ min: 1, max: tokenBytesMax }).meta({
      description: "The token that the CI system issued.",
    }),
    subject_token_type: z.enum([JWT_TOKEN_TYPE, ID_TOKEN_TYPE]),
    requested_token_type: z.literal(ACCESS_TOKEN_TYPE).optional(),
  })
  .meta({ id: "TokenExchangeRequest" });

/** A short-lived key, named as RFC 8693 has it. */
export const TokenExchangeResult = z
  .object({
    access_token: z.string().meta({ description: "The API key. It is shown only once." }),
    issued_token_type: z.literal(ACCESS_TOKEN_TYPE),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "Seconds until the key expires." }),
    api_key_id: Uuid,
    organization_id: Uuid,
    trust_policy_id: Uuid,
  })
  .meta({ id: "TokenExchangeResult" });
export type TokenExchangeResult = z.infer<typeof TokenExchangeResult>;
