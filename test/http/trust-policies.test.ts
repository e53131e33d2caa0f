import type { ApiKey, ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import type { TokenExchangeResult, TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient, type HttpResponse } from "@waymark/test-support/http-client.ts";
import {
  githubClaims,
  gitlabClaims,
  type IssuerServer,
  kubernetesClaims,
  startIssuers,
  type TestIssuer,
} from "@waymark/test-support/issuer.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import {
  type ApiProcess,
  createHostedOrganization,
  type Stack,
  startApiProcess,
  startStack,
} from "@waymark/test-support/stack.ts";

const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];
const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

let issuers: IssuerServer;
let github: TestIssuer;
let gitlab: TestIssuer;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
beforeAll(async () => {
  issuers = await startIssuers();
  [stack, github, gitlab] = await Promise.all([
    startStack(),
    issuers.add("/github/_services/token"),
    issuers.add("/gitlab", "ES256"),
  ]);
  // In a process of its own, because Node reads the certificates when it starts.
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

let count = 0;
const ofGithub = (changed: Record<string, unknown> = {}) => ({
  name: `policy ${count++}`,
  issuer: github.issuer,
  audience: "waymark",
  conditions: { repository_owner_id: "65", repository: "acme/*" },
  scopes: SCAN,
  ...changed,
});

async function policyOf(settings: Record<string, unknown>): Promise<TrustPolicy> {
  const response = await http.post<TrustPolicy>("/api/trust-policies", settings);
  if (response.status !== 201) throw new Error(response.text);
  return response.body;
}

const remove = ({ id }: TrustPolicy) => http.request("DELETE", `/api/trust-policies/${id}`);

function exchange(token: string): Promise<HttpResponse<TokenExchangeResult>> {
  const body = new URLSearchParams({
    grant_type: GRANT,
    subject_token: token,
    subject_token_type: JWT,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return http.request("POST", "/api/token-exchange", { key: null, body, headers });
}

const scanWith = (key: string) =>
  http.post("/api/scans/ingest", scanPayload({ serviceName: `scanned ${count++}` }), { key });

describe("a trust policy", () => {
  it("gives a workload a short-lived key that scans", async () => {
    const policy = await policyOf(ofGithub({ lifetimeSeconds: 300 }));
    const { status, body, headers } = await exchange(await github.token(githubClaims()));
    expect({ status, ...body }).toMatchObject({
      status: 200,
      access_token: expect.stringMatching(/^wmk_/),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      organization_id: stack.organizationId,
      trust_policy_id: policy.id,
    });
    expect(body.expires_in).toBeGreaterThan(240);
    expect(body.expires_in).toBeLessThanOrEqual(300);
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await scanWith(body.access_token)).status).toBe(201);
    const own = await http.get("/api/api-keys/self", { key: body.access_token });
    expect(own.body).toMatchObject({
      trustPolicyId: policy.id,
      createdBy: policy.updatedByKeyId,
      name: `${policy.name}: repo:acme/payments:ref:refs/heads/main`,
      ownerDisplayName: "repo:acme/payments:ref:refs/heads/main",
      scopes: SCAN.map((permission) => ({ permission })),
    });
    expect((await http.get("/api/services", { key: body.access_token })).status).toBe(403);
    const { body: audit } = await http.get<{ auditEvents: AuditEvent[] }>(
      "/api/audit-events?action=token.exchanged&limit=1",
    );
    expect(audit.auditEvents[0]).toMatchObject({
      actorKeyId: null,
      apiKeyId: body.api_key_id,
      details: {
        by: "trust_policy",
        trustPolicyId: policy.id,
        issuer: github.issuer,
        subject: "repo:acme/payments:ref:refs/heads/main",
        claims: {
          repository: "acme/payments",
          repository_owner_id: "65",
          run_id: "7341",
          ref: "refs/heads/main",
        },
      },
    });
    expect(JSON.stringify(audit)).not.toContain("octocat");
    await remove(policy);
  });

  it.each([
    ["GitLab's", () => gitlab, () => gitlabClaims(), { project_path: "acme/*", ref_protected: "true" }],
    [
      "a pod's",
      () => gitlab,
      () => kubernetesClaims(),
      { "/kubernetes.io/namespace": "ci", sub: "system:serviceaccount:ci:*" },
    ],
    ["a number's", () => gitlab, () => gitlabClaims(), { namespace_id: "72", runner_id: "1" }],
  ])("accepts %s claims", async (_, issuer, claims, conditions) => {
    const policy = await policyOf(ofGithub({ issuer: issuer().issuer, conditions }));
    expect((await exchange(await issuer().token(claims()))).status).toBe(200);
    await remove(policy);
  });

  it("takes JSON, and a form with each field once", async () => {
    const policy = await policyOf(ofGithub());
    const json = {
      grant_type: GRANT,
      subject_token: await github.token(githubClaims()),
      subject_token_type: JWT,
    };
    expect((await http.post("/api/token-exchange", json, { key: null })).status).toBe(200);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const again = `${new URLSearchParams(json).toString()}&grant_type=${GRANT}`;
    const twice = await http.request("POST", "/api/token-exchange", { key: null, body: again, headers });
    expect(errorOf(twice)).toMatchObject({ status: 400, code: "validation_failed" });
    const unknown = await http.post("/api/token-exchange", { ...json, scope: "*" }, { key: null });
    expect(errorOf(unknown)).toMatchObject({ status: 400, code: "validation_failed" });
    await remove(policy);
  });

  it("ends what it has issued when it is deleted, with the keys that these created", async () => {
    const policy = await policyOf(ofGithub({ scopes: [...SCAN, "api-keys:create"] }));
    const { body } = await exchange(await github.token(githubClaims()));
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const child = await http.post<{ rawKey: string }>(
      "/api/api-keys",
      { name: "child", ownerPrincipalType: "user", scopes: SCAN, expiresAt },
      { key: body.access_token },
    );
    expect((await scanWith(child.body.rawKey)).status).toBe(201);
    expect((await remove(policy)).status).toBe(204);
    for (const key of [body.access_token, child.body.rawKey])
      expect(errorOf(await scanWith(key))).toMatchObject({ status: 401, code: "api_key_revoked" });
    expect(errorOf(await exchange(await github.token(githubClaims())))).toMatchObject({
      code: "identity_refused",
    });
  });

  it("ends what it has issued when its settings change, but not when its name does", async () => {
    const settings = ofGithub();
    const policy = await policyOf(settings);
    const { body } = await exchange(await github.token(githubClaims()));
    const put = (revision: number, changed: object) =>
      http.request<TrustPolicy>("PUT", `/api/trust-policies/${policy.id}`, {
        body: { ...settings, ...changed },
        headers: { "if-match": `"${revision}"` },
      });
    const renamed = await put(1, { name: "renamed" });
    expect([renamed.status, renamed.body.revision]).toEqual([200, 2]);
    expect((await scanWith(body.access_token)).status).toBe(201);
    expect(errorOf(await put(1, {}))).toMatchObject({ status: 412, code: "revision_conflict" });
    expect((await put(2, { conditions: { repository: "acme/other" } })).status).toBe(200);
    expect(errorOf(await scanWith(body.access_token))).toMatchObject({ code: "api_key_revoked" });
    await remove(policy);
  });

  it("ends with the key that set it, if that is revoked with its children", async () => {
    const key = await createKey(stack, ["*"]);
    const { body: own } = await http.get<{ id: string }>("/api/api-keys/self", { key });
    const { body: policy } = await http.post<TrustPolicy>("/api/trust-policies", ofGithub(), { key });
    const { body } = await exchange(await github.token(githubClaims()));
    expect((await scanWith(body.access_token)).status).toBe(201);
    await http.post(`/api/api-keys/${own.id}/revoke`, { children: true });
    expect(errorOf(await scanWith(body.access_token))).toMatchObject({ code: "api_key_revoked" });
    expect((await http.get(`/api/trust-policies/${policy.id}`)).status).toBe(404);
  });

  it("gives no more than its creator has: scopes, expiry and networks", async () => {
    const soon = new Date(Date.now() + 3_600_000);
    const narrow = await createKey(stack, ["trust:write", "scans:create"], { expiresAt: soon });
    const wide = await http.post("/api/trust-policies", ofGithub({ scopes: ["*"] }), { key: narrow });
    expect(errorOf(wide)).toMatchObject({ status: 403, code: "permission_denied" });
    const later = await http.post("/api/trust-policies", ofGithub({ scopes: ["scans:create"] }), {
      key: narrow,
    });
    expect(errorOf(later)).toMatchObject({ status: 403, message: expect.stringContaining("expiresAt") });
    const expiresAt = soon.toISOString();
    const equal = ofGithub({ scopes: ["scans:create"], expiresAt });
    const { status, body } = await http.post<TrustPolicy>("/api/trust-policies", equal, { key: narrow });
    expect(status).toBe(201);
    const bound = await createKey(stack, ["*"], { allowedNetworks: ["127.0.0.0/8"] });
    const elsewhere = await http.post("/api/trust-policies", ofGithub(), { key: bound });
    expect(errorOf(elsewhere)).toMatchObject({
      status: 403,
      message: expect.stringContaining("allowedNetworks"),
    });
    await remove(body);
  });

  it("with more permissions than a key has is neither changed nor deleted by it", async () => {
    const settings = ofGithub({ scopes: ["scans:create", "changes:approve"] });
    const policy = await policyOf(settings);
    const narrow = await createKey(stack, ["trust:write", "scans:create"]);
    const path = `/api/trust-policies/${policy.id}`;
    const change = {
      body: { ...settings, scopes: ["scans:create"] },
      headers: { "if-match": '"1"' },
      key: narrow,
    };
    for (const refused of [
      await http.request("PUT", path, change),
      await http.request("DELETE", path, { key: narrow }),
    ])
      expect(errorOf(refused)).toMatchObject({ status: 403, code: "permission_denied" });
    expect((await http.get(path)).body).toEqual(policy);
    await remove(policy);
  });

  it("can't be set by a key that was issued for a workload", async () => {
    const policy = await policyOf(ofGithub({ scopes: ["*"] }));
    const { body } = await exchange(await github.token(githubClaims()));
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const made = await http.post("/api/trust-policies", ofGithub({ expiresAt }), { key: body.access_token });
    expect(errorOf(made)).toMatchObject({ status: 403, code: "permission_denied" });
    await remove(policy);
  });

  it("has the default audience of the server's address, and is listed", async () => {
    const { audience: _, ...settings } = ofGithub();
    const policy = await policyOf(settings);
    expect(policy).toMatchObject({
      audience: api.baseUrl,
      lifetimeSeconds: 900,
      expiresAt: null,
      revision: 1,
    });
    const { body } = await http.get<{ trustPolicies: TrustPolicy[] }>("/api/trust-policies?limit=1");
    expect(body.trustPolicies).toEqual([policy]);
    expect(errorOf(await http.post("/api/trust-policies", settings))).toMatchObject({
      status: 409,
      code: "trust_policy_name_taken",
    });
    await remove(policy);
  });

  it("is chosen by the most conditions, if several accept a token", async () => {
    const policies = [
      await policyOf(ofGithub()),
      await policyOf(
        ofGithub({ conditions: { repository_owner_id: "65", repository: "acme/*", ref: "refs/heads/main" } }),
      ),
      await policyOf(ofGithub()),
    ];
    const { body } = await exchange(await github.token(githubClaims()));
    expect(body.trust_policy_id).toBe(policies[1]?.id);
    const branch = await exchange(await github.token(githubClaims({ ref: "refs/heads/x" })));
    expect(branch.body.trust_policy_id).toBe(policies[0]?.id);
    for (const policy of policies) await remove(policy);
  });

  it("keeps its keys out of the list of keys, and lists them for it and for its creator", async () => {
    const policy = await policyOf(ofGithub());
    const { body } = await exchange(await github.token(githubClaims()));
    const ids = async (query: string) => {
      const list = await http.get<{ apiKeys: ApiKey[] }>(
        `/api/api-keys?organizationId=${stack.organizationId}&limit=200&${query}`,
      );
      return list.body.apiKeys.map(({ id }) => id);
    };
    expect(await ids("")).not.toContain(body.api_key_id);
    expect(await ids(`trustPolicyId=${policy.id}`)).toEqual([body.api_key_id]);
    expect(await ids(`createdBy=${policy.updatedByKeyId}`)).toContain(body.api_key_id);
    await remove(policy);
  });
});

const PERMISSIONS = ["scans:create", "services:read", "endpoints:write", "api-keys:create", "*"] as const;
const NAMES = ["payments-eu", "payments-*", "orders", "*"] as const;
/** Accesses by which a key is compared with its creator. */
const ACCESSES = PERMISSIONS.flatMap((permission) =>
  ["payments-eu", "payments-us", "orders", "x"].map((serviceName) => ({ permission, serviceName })),
);
const allowed = (scopes: readonly ApiKeyScope[]) =>
  ACCESSES.filter(({ permission, serviceName }) =>
    scopes.some((scope) => scopeAllows(scope, permission, { serviceName })),
  );

describe("with random scopes", () => {
  it(
    "no policy gives more than its creator has, and no exchange more than its policy",
    { timeout: 120_000 },
    async () => {
      announceSeed();
      const random = createRandom("scopes of trust policies");
      const scopes = (): ApiKeyScope[] =>
        Array.from({ length: random.integer(1, 3) }, () => ({
          permission: random.pick(PERMISSIONS),
          ...(random.integer(0, 1) === 0
            ? {}
            : { resourceConstraints: { serviceNames: [random.pick(NAMES)] } }),
        }));
      const given = { accepted: 0, refused: 0 };
      for (let run = 0; run < scaled({ short: 40, long: 500 }); run++) {
        const [own, wanted] = [scopes(), scopes()];
        const key = await createKey(stack, [...own, "trust:write"]);
        const { status, body: policy } = await http.post<TrustPolicy>(
          "/api/trust-policies",
          ofGithub({ scopes: wanted }),
          { key },
        );
        if (status === 403) given.refused++;
        if (status !== 201) continue;
        given.accepted++;
        expect(allowed(own)).toEqual(expect.arrayContaining(allowed(policy.scopes)));
        const { body } = await exchange(await github.token(githubClaims()));
        const { body: issued } = await http.get<ApiKey>("/api/api-keys/self", { key: body.access_token });
        expect(issued.scopes).toEqual(policy.scopes);
        expect(Date.parse(issued.expiresAt ?? "")).toBeLessThanOrEqual(
          Date.now() + policy.lifetimeSeconds * 1000,
        );
        await remove(policy);
      }
      expect(Math.min(given.accepted, given.refused)).toBeGreaterThan(3);
    },
  );
});

describe("a refused exchange", () => {
  it("names the failed conditions only to workloads of the owner", async () => {
    const policy = await policyOf(
      ofGithub({
        conditions: { repository_owner_id: "65", ref: "refs/heads/release-secret", environment: "prod" },
      }),
    );
    const own = errorOf(await exchange(await github.token(githubClaims({ aud: "another" }))));
    expect(own).toMatchObject({ status: 403, code: "identity_not_trusted" });
    expect(own.details).toEqual([
      { path: "aud", message: 'is "another", which the policy does not accept' },
      { path: "ref", message: 'is "refs/heads/main", which the policy does not accept' },
      { path: "environment", message: "is not in the token, and the policy has a condition on it" },
    ]);
    expect(JSON.stringify(own)).not.toMatch(/release-secret|prod"/);
    const expired = { exp: Math.floor(Date.now() / 1000) - 120 };
    expect(errorOf(await exchange(await github.token(githubClaims(expired)))).message).toContain(
      "has expired",
    );
    const stranger = githubClaims({
      repository_owner_id: "66",
      repository: "evil/x",
      repository_owner: "evil",
    });
    const refusals = [
      await github.token(stranger),
      await github.token(githubClaims(), { key: { ...(gitlab.keys[0] ?? fail()), kid: "x" } }),
      await gitlab.token(gitlabClaims({ iss: "https://unknown.example.com" })),
      "no token",
    ];
    const answers = await Promise.all(refusals.map(async (token) => errorOf(await exchange(token))));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 401, code: "identity_refused", message: answers[0]?.message });
    await remove(policy);
  });

  it("hints at a difference in upper and lower case", async () => {
    const policy = await policyOf(
      ofGithub({ conditions: { repository_owner_id: "65", repository: "Acme/*" } }),
    );
    const { message } = errorOf(await exchange(await github.token(githubClaims())));
    expect(message).toContain("differs in upper and lower case only");
    await remove(policy);
  });

  it("comes for a token that was exchanged before, with or without an id", async () => {
    const policy = await policyOf(ofGithub());
    for (const jti of ["once", undefined]) {
      const token = await github.token(githubClaims({ jti }));
      expect((await exchange(token)).status).toBe(200);
      expect(errorOf(await exchange(token))).toMatchObject({ status: 409, code: "identity_token_used" });
    }
    const sameId = await github.token(githubClaims({ jti: "once", run_id: "2" }));
    expect(errorOf(await exchange(sameId))).toMatchObject({ code: "identity_token_used" });
    const together = await github.token(githubClaims());
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await exchange(together)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    await remove(policy);
  });
});

describe("conditions", () => {
  it.each([
    ["no owner", { ref: "refs/heads/main", environment: "prod" }, "must name the owner"],
    ["an owner's beginning", { repository: "acme*" }, "must name the owner"],
    ["a beginning of sub", { sub: "repo:acme*" }, "must name the owner"],
    ["everybody's sub", { sub: "repo:*" }, "must name the owner"],
    ["a part of an id", { repository_owner_id: "6*" }, "must name the owner"],
    ["one value without an owner", { repository: ["acme/*", "*/payments"] }, "must name the owner"],
    [
      "a reusable workflow",
      { job_workflow_ref: "acme/ci/.github/workflows/x.yml@refs/heads/main" },
      "other owners can call",
    ],
    ["every value", { repository: "acme/*", ref: "*" }, "accepts every value"],
    ["nothing", {}, "at least one claim"],
  ])("with %s are refused with an explanation", async (_, conditions, explanation) => {
    const refused = errorOf(await http.post("/api/trust-policies", ofGithub({ conditions })));
    expect(refused).toMatchObject({ status: 400, code: "validation_failed" });
    expect(refused.message).toContain(explanation);
  });

  it.each([
    ["http://issuer.example.com", "must be an https:// address"],
    ["https://issuer.example.com/?a=b", "must not have a query"],
    ["https://user:pw@issuer.example.com", "must not contain a user"],
    ["https://Issuer.example.com", "must be written as tokens have it: https://issuer.example.com"],
  ])("of the issuer %s are refused", async (issuer, explanation) => {
    const refused = errorOf(await http.post("/api/trust-policies", ofGithub({ issuer })));
    expect(refused.details).toEqual([{ path: "issuer", message: expect.stringContaining(explanation) }]);
  });

  it("warn of names that others can take, and of branches that get more than scans", async () => {
    const policy = await policyOf(
      ofGithub({ conditions: { repository: "acme/*" }, scopes: ["changes:approve"] }),
    );
    expect(policy.warnings).toEqual([
      expect.stringContaining("Add a condition on repository_owner_id"),
      expect.stringContaining("Every branch and every pull request of the repositories gets changes:approve"),
    ]);
    const good = await policyOf(ofGithub());
    expect(good.warnings).toEqual([]);
    await remove(policy);
    await remove(good);
  });
});

describe("an issuer", () => {
  it("that hangs is given up with an error that says so, and other requests are answered meanwhile", async () => {
    const hanging = await issuers.add("/hanging/_services/token");
    hanging.respond = () => undefined;
    const policies = [await policyOf(ofGithub({ issuer: hanging.issuer })), await policyOf(ofGithub())];
    const token = () => hanging.token(githubClaims());
    const waiting = Promise.all([exchange(await token()), exchange(await token())]);
    await expect.poll(() => hanging.requests).toHaveLength(1);
    expect(await exchange(await github.token(githubClaims()))).toMatchObject({ status: 200 });
    expect(await http.get("/api/api-keys/self")).toMatchObject({ status: 200 });
    for (const refused of await waiting) {
      expect(refused).toMatchObject({ status: 503, body: { error: { code: "issuer_unavailable" } } });
      expect(refused.text).toContain("signing keys of the token's issuer can't be read now");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // Both have waited for the same request, and the issuer is left alone for a while.
    expect(await exchange(await token())).toMatchObject({ status: 503 });
    expect(hanging.requests).toHaveLength(1);
    for (const policy of policies) await remove(policy);
  });

  it("that is down does not end builds whose signing keys were read before", async () => {
    const known = await issuers.add("/known/_services/token");
    const policy = await policyOf(ofGithub({ issuer: known.issuer }));
    expect(await exchange(await known.token(githubClaims()))).toMatchObject({ status: 200 });
    known.respond = (request) => request.socket.destroy();
    const { status, body } = await exchange(await known.token(githubClaims()));
    expect(status).toBe(200);
    expect(await scanWith(body.access_token)).toMatchObject({ status: 201 });
    await remove(policy);
  });
});

describe("on a server with several organizations", () => {
  it("an audience belongs to the organization whose id it contains", async () => {
    const other = await createHostedOrganization(stack.databaseUrl, "Other");
    const theirs = createHttpClient(api.baseUrl, { key: other.apiKey });
    const refused = errorOf(await theirs.post("/api/trust-policies", ofGithub()));
    expect(refused.details).toEqual([
      { path: "audience", message: expect.stringContaining(other.organizationId) },
    ]);
    const audience = `waymark#${other.organizationId}`;
    expect((await theirs.post("/api/trust-policies", ofGithub({ audience }))).status).toBe(201);
    const { body } = await exchange(await github.token(githubClaims({ aud: audience })));
    expect(body.organization_id).toBe(other.organizationId);
  });
});

function fail(): never {
  throw new Error("there is no key");
}
