import type { HttpClient } from "@waymark/test-support/http-client.ts";

const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];
const ofServices = (...serviceNames: string[]) =>
  SCAN.map((permission) => ({ permission, resourceConstraints: { serviceNames } }));

/** Keys in every state. What the interface can't make, a key that expired, is aged in the database. */
export const DEMO_KEYS = [
  {
    name: "payments pipeline",
    scopes: ofServices("payments"),
    expires: "2027-03-01",
    used: "2026-10-30 07:12",
  },
  {
    name: "shipping pipelines",
    scopes: ofServices("shipping", "shipping-*"),
    expires: "2027-01-15",
    used: "2026-10-30 05:40",
  },
  {
    name: "dashboards",
    scopes: ["services:read", "endpoints:read"],
    expires: null,
    used: "2026-10-29 22:03",
  },
  { name: "auditor", scopes: ["audit:read", "api-keys:read"], expires: "2026-12-31", used: null },
  { name: "migration of 2025", scopes: SCAN, expires: "2026-06-30", used: "2026-06-28 13:20" },
  {
    name: "contractor's laptop",
    scopes: ["scans:create", "services:read"],
    expires: "2027-06-30",
    used: "2026-09-02 16:45",
    revoked: true,
  },
] as const;

export async function createDemoKeys(http: HttpClient): Promise<void> {
  for (const key of DEMO_KEYS) {
    const created = await http.post<{ id: string }>("/api/api-keys", {
      name: key.name,
      ownerPrincipalType: "service_account",
      scopes: key.scopes,
    });
    if (created.status !== 201) throw new Error(`the key ${key.name} was not created: ${created.text}`);
    if ("revoked" in key) await http.post(`/api/api-keys/${created.body.id}/revoke`, {});
  }
}

const POLICIES = [
  {
    name: "scans of bookshop-inc",
    issuer: "https://token.actions.githubusercontent.com",
    conditions: { repository_owner_id: "65", repository: "bookshop-inc/*" },
    scopes: SCAN,
  },
  {
    name: "releases of payments",
    issuer: "https://gitlab.com",
    conditions: { namespace_path: "bookshop", project_path: "bookshop/payments", ref_protected: "true" },
    scopes: ofServices("payments"),
    lifetimeSeconds: 300,
  },
];

export async function createDemoPolicies(http: HttpClient): Promise<void> {
  for (const policy of POLICIES) {
    const created = await http.post("/api/trust-policies", {
      ...policy,
      audience: "https://waymark.example.com",
    });
    if (created.status !== 201) throw new Error(`the policy ${policy.name} was not created: ${created.text}`);
  }
}
