import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { type TrustPolicy, TrustPolicyRequest } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { daysAfter, networksOf, scopesOf } from "../key-request.ts";
import { CI_SYSTEMS, type CiSystemId, ciSystemOf } from "./ci-systems.ts";

/** The accepted values of one claim. */
export interface Condition {
  claim: string;
  values: readonly string[];
}

/** The form of a policy as it was filled in. */
export interface PolicyForm {
  name: string;
  system: CiSystemId;
  issuer: string;
  /** Empty for the server's address. */
  audience: string;
  conditions: readonly Condition[];
  permissions: readonly string[];
  services: readonly string[];
  /** Scopes with constraints that the form has no fields for. They stay as they are. */
  keptScopes: readonly ApiKeyScope[] | undefined;
  lifetimeSeconds: number;
  /** Separated by commas. */
  networks: string;
  /** Days, `never`, or a time that stays. */
  expiry: string;
}

/** Returns an empty form for a CI system, with the claims that its conditions use most. */
export function newPolicy(system: CiSystemId, permissions: readonly string[]): PolicyForm {
  return {
    name: "",
    ...systemFields(system, []),
    audience: "",
    permissions,
    services: [],
    keptScopes: undefined,
    lifetimeSeconds: TrustPolicyRequest.shape.lifetimeSeconds.parse(undefined),
    networks: "",
    expiry: "never",
  };
}

/** Returns the fields that another CI system changes. Conditions with values stay. */
export function systemFields(
  system: CiSystemId,
  conditions: readonly Condition[],
): Pick<PolicyForm, "system" | "issuer" | "conditions"> {
  const { issuer, claims } = CI_SYSTEMS[system];
  return { system, issuer: issuer.value, conditions: withKnownClaims(claims, conditions) };
}

function withKnownClaims(
  claims: readonly { name: string }[],
  conditions: readonly Condition[],
): readonly Condition[] {
  const given = conditions.filter(({ values }) => values.length > 0);
  const known = claims.map(
    ({ name }) => given.find(({ claim }) => claim === name) ?? { claim: name, values: [] },
  );
  return [...known, ...given.filter((condition) => !known.includes(condition))];
}

/** Returns the form that changes a policy. */
export function formOf(policy: TrustPolicy, { ownAudience }: { ownAudience: string }): PolicyForm {
  const system = ciSystemOf(policy.issuer, Object.keys(policy.conditions));
  const conditions = Object.entries(policy.conditions).map(([claim, accepted]) => ({
    claim,
    values: [accepted].flat(),
  }));
  const services = commonServices(policy.scopes);
  return {
    name: policy.name,
    system,
    issuer: policy.issuer,
    audience: policy.audience === ownAudience ? "" : policy.audience,
    conditions: withKnownClaims(CI_SYSTEMS[system].claims, conditions),
    permissions: policy.scopes.map(({ permission }) => permission),
    services: services ?? [],
    keptScopes: services === undefined ? policy.scopes : undefined,
    lifetimeSeconds: policy.lifetimeSeconds,
    networks: policy.allowedNetworks?.join(", ") ?? "",
    expiry: policy.expiresAt ?? "never",
  };
}

/** Returns the services that all scopes are limited to; undefined if they have constraints of another kind. */
function commonServices(scopes: readonly ApiKeyScope[]): readonly string[] | undefined {
  const limits = scopes.map(({ id: _id, permission: _permission, resourceConstraints, ...others }) =>
    Object.values(others).some((value) => value !== null && value !== undefined)
      ? undefined
      : serviceNamesOf(resourceConstraints ?? {}),
  );
  const [first] = limits;
  return limits.every((names) => names !== undefined && names.join("\n") === first?.join("\n"))
    ? first
    : undefined;
}

function serviceNamesOf({ serviceNames = [], ...others }: Record<string, unknown>): string[] | undefined {
  if (Object.keys(others).length > 0 || !Array.isArray(serviceNames)) return undefined;
  const names = serviceNames.filter((name) => typeof name === "string");
  return names.length === serviceNames.length ? names : undefined;
}

/** The problems of a form, by field; those of conditions by claim. */
export interface FieldProblems {
  fields: Readonly<Record<string, string>>;
  claims: Readonly<Record<string, string>>;
}
export const NO_PROBLEMS: FieldProblems = { fields: {}, claims: {} };

/** Returns the request, or the problems by field. */
export function readForm(
  form: PolicyForm,
  now: number,
): { request: TrustPolicyRequest; problems?: never } | { request?: never; problems: FieldProblems } {
  const given = form.conditions.filter(({ values }) => values.length > 0);
  const { data, error } = TrustPolicyRequest.safeParse({
    name: form.name.trim(),
    issuer: form.issuer.trim(),
    ...(form.audience.trim() !== "" && { audience: form.audience.trim() }),
    conditions: Object.fromEntries(
      given.map(({ claim, values }) => [claim, values.length === 1 ? values[0] : values]),
    ),
    scopes: form.keptScopes ?? scopesOf(form.permissions, form.services),
    lifetimeSeconds: form.lifetimeSeconds,
    allowedNetworks: networksOf(form.networks),
    expiresAt: expiryOf(form.expiry, now),
  });
  if (data !== undefined) return { request: data };
  const details = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  return { problems: problemsOf(details, form) };
}

function expiryOf(expiry: string, now: number): string | null {
  if (expiry === "never") return null;
  return /^\d+$/.test(expiry) ? daysAfter(now, Number(expiry)) : expiry;
}

/** Returns the problems that a refusal names, by the field of the form. */
export function problemsOf(
  details: readonly { path: string; message: string }[],
  { conditions }: Pick<PolicyForm, "conditions">,
): FieldProblems {
  const fields: Record<string, string> = {};
  const claims: Record<string, string> = {};
  for (const { path, message } of details) {
    // The name of a claim may contain dots.
    const claim = conditions.find(
      (condition) =>
        path === `conditions.${condition.claim}` || path.startsWith(`conditions.${condition.claim}.`),
    )?.claim;
    if (claim === undefined) fields[/^\w*/.exec(path)?.[0] ?? ""] ??= message;
    else claims[claim] ??= message;
  }
  return { fields, claims };
}
