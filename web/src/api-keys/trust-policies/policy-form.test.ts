import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { describe, expect, it } from "vitest";
import { formOf, newPolicy, problemsOf, readForm, systemFields } from "./policy-form.ts";

const NOW = Date.parse("2026-11-28T00:00:00Z");
const OWN = { ownAudience: "https://waymark.example.com" };

const GITHUB = {
  ...newPolicy("github", ["scans:create"]),
  name: " scans ",
  conditions: [
    { claim: "repository_owner_id", values: ["65"] },
    { claim: "repository", values: ["acme/a,b", "acme/c"] },
    { claim: "ref", values: [] },
  ],
};

const STORED: TrustPolicy = {
  id: "0193a5b0-0000-7000-8000-000000000001",
  name: "scans",
  issuer: "https://gitlab.example.com",
  audience: "https://waymark.example.com",
  conditions: { namespace_id: "72", user_login: ["ada", "grace"] },
  scopes: [{ permission: "scans:create", resourceConstraints: { serviceNames: ["payments-*"] } }],
  lifetimeSeconds: 1200,
  allowedNetworks: ["203.0.113.0/24", "2001:db8::/32"],
  expiresAt: "2027-01-01T00:00:00.000Z",
  warnings: [],
  revision: 3,
  createdByKeyId: "0193a5b0-0000-7000-8000-000000000002",
  updatedByKeyId: "0193a5b0-0000-7000-8000-000000000002",
  createdAt: "2026-11-01T00:00:00.000Z",
  updatedAt: "2026-11-01T00:00:00.000Z",
};

describe("the form of a trust policy", () => {
  it("sends the conditions that have values, and an audience only if one is given", () => {
    const { request } = readForm({ ...GITHUB, services: ["payments-*"], expiry: "30" }, NOW);
    expect(request).toEqual({
      name: "scans",
      issuer: "https://token.actions.githubusercontent.com",
      conditions: { repository_owner_id: "65", repository: ["acme/a,b", "acme/c"] },
      scopes: [{ permission: "scans:create", resourceConstraints: { serviceNames: ["payments-*"] } }],
      lifetimeSeconds: 900,
      allowedNetworks: null,
      expiresAt: "2026-12-28T00:00:00.000Z",
    });
  });

  it("keeps every setting of a policy that it changes", () => {
    const { request } = readForm(formOf(STORED, OWN), NOW);
    const { name, issuer, conditions, scopes, lifetimeSeconds, allowedNetworks, expiresAt } = STORED;
    const kept = { name, issuer, conditions, scopes, lifetimeSeconds, allowedNetworks, expiresAt };
    expect(request).toEqual(kept);
    const other = readForm(formOf({ ...STORED, audience: "waymark#acme" }, OWN), NOW);
    expect(other.request?.audience).toBe("waymark#acme");
  });

  it.each<[what: string, scopes: TrustPolicy["scopes"]]>([
    ["an environment", [{ permission: "journeys:run", environmentId: STORED.id }]],
    [
      "services of one scope only",
      [
        { permission: "services:read" },
        { permission: "scans:create", resourceConstraints: { serviceNames: ["a"] } },
      ],
    ],
    ["a constraint of a later version", [{ permission: "a:b", resourceConstraints: { region: "eu" } }]],
  ])("does not widen scopes that are limited to %s", (_what, scopes) => {
    const form = formOf({ ...STORED, scopes }, OWN);
    expect(form.keptScopes).toEqual(scopes);
    expect(readForm(form, NOW).request?.scopes).toEqual(scopes);
  });

  it("knows the CI system of a policy by its issuer, and GitLab of one's own by the claims", () => {
    const systemOf = (changed: Partial<TrustPolicy>) => formOf({ ...STORED, ...changed }, OWN).system;
    expect(systemOf({})).toBe("gitlab");
    expect(systemOf({ issuer: "https://ghes.example.com/_services/token" })).toBe("github");
    expect(systemOf({ issuer: "https://agent.buildkite.com" })).toBe("buildkite");
    expect(systemOf({ issuer: "https://oidc.circleci.com/org/1c3a9b62" })).toBe("circleci");
    const cluster = { issuer: "https://oidc.eks.example.com/id/1" };
    expect(systemOf({ ...cluster, conditions: { "/kubernetes.io/namespace": "ci" } })).toBe("kubernetes");
    expect(systemOf({ ...cluster, conditions: { sub: "x" } })).toBe("other");
  });

  it("keeps conditions that were filled in when another CI system is chosen", () => {
    const { conditions, issuer } = systemFields("gitlab", [
      { claim: "ref", values: ["refs/heads/main"] },
      { claim: "repository", values: [] },
    ]);
    expect(issuer).toBe("https://gitlab.com");
    expect(conditions.map(({ claim }) => claim)).toEqual([
      "namespace_id",
      "project_path",
      "ref_path",
      "ref_protected",
      "ref",
    ]);
  });

  it("shows a refusal at the field of its claim, also of a claim with dots", () => {
    const conditions = [
      { claim: "ref", values: ["*"] },
      { claim: "oidc.circleci.com/project-id", values: [""] },
    ];
    const details = [
      { path: "conditions", message: "must name the owner" },
      { path: "conditions.ref", message: "accepts every value" },
      { path: "conditions.oidc.circleci.com/project-id.0", message: "too short" },
      { path: "allowedNetworks[0]", message: "must be a network" },
    ];
    expect(problemsOf(details, { conditions })).toEqual({
      fields: { conditions: "must name the owner", allowedNetworks: "must be a network" },
      claims: { ref: "accepts every value", "oidc.circleci.com/project-id": "too short" },
    });
  });

  it("says at their fields what the schema refuses, without a request", () => {
    const { problems } = readForm({ ...GITHUB, name: "", issuer: "http://a", conditions: [] }, NOW);
    expect(Object.keys(problems?.fields ?? {}).toSorted()).toEqual(["conditions", "issuer", "name"]);
  });
});
