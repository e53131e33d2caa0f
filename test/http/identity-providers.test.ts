import { join } from "node:path";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import type { SignInOptions } from "@waymark/shared/principals/sign-in/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { type IssuerServer, startIssuers, type TestIssuer } from "@waymark/test-support/issuer.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { OWN_PAGE } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  type ApiProcess,
  createHostedOrganization,
  type Stack,
  startApiProcess,
  startStack,
  TEST_JOURNEY_KEYS,
} from "@waymark/test-support/stack.ts";

const SECRET = "a-secret-that-nobody-reads-again";

let issuers: IssuerServer;
let issuer: TestIssuer;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
let env: Record<string, string>;
beforeAll(async () => {
  issuers = await startIssuers();
  [stack, issuer] = await Promise.all([startStack(), issuers.add("/id")]);
  issuer.respond = (_, response) =>
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        issuer: issuer.issuer,
        authorization_endpoint: `${issuer.issuer}/authorize`,
        token_endpoint: `${issuer.issuer}/token`,
        jwks_uri: `${issuer.issuer}/keys`,
      }),
    );
  env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

const settings = (changed: Record<string, unknown> = {}) => ({
  issuer: issuer.issuer,
  displayName: "Acme ID",
  clientId: "waymark",
  clientSecret: SECRET,
  emailDomains: ["example.com"],
  roles: [{ group: "engineers", role: "developer" }],
  ...changed,
});
const add = (changed?: Record<string, unknown>, key?: string) =>
  http.post<IdentityProvider>("/api/identity-providers", settings(changed), key === undefined ? {} : { key });
const remove = (id: string) => http.request("DELETE", `/api/identity-providers/${id}`);

describe("an identity provider", () => {
  it("is added, listed, changed and deleted, and its secret is never read again", async () => {
    const added = await add();
    expect(added.status).toBe(201);
    const { id } = added.body;
    expect(added.body).toMatchObject({
      hasClientSecret: true,
      groupsClaim: "groups",
      trustsEmail: false,
      roles: [{ group: "engineers", role: "developer", serviceNames: null }],
      redirectUri: `${api.baseUrl}/sign-in/callback/${id}`,
      backChannelLogoutUri: `${api.baseUrl}/api/identity-providers/${id}/back-channel-logout`,
    });
    const { issuer: _, clientSecret: __, ...rest } = settings({ displayName: "Renamed" });
    const changed = await http.request<IdentityProvider>("PUT", `/api/identity-providers/${id}`, {
      body: rest,
    });
    expect(changed.body).toMatchObject({ displayName: "Renamed", hasClientSecret: true });
    const listed = await http.get<{ identityProviders: IdentityProvider[] }>("/api/identity-providers");
    expect(listed.body.identityProviders).toEqual([changed.body]);
    expect((await remove(id)).status).toBe(204);
    const { body } = await http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events");
    expect(body.auditEvents.map(({ action }) => action).slice(0, 3)).toEqual([
      "identity_provider.deleted",
      "identity_provider.updated",
      "identity_provider.created",
    ]);
    const stored = await query(stack, "SELECT row_to_json(i)::text AS row FROM identity_providers i");
    for (const text of [added.text, changed.text, listed.text, JSON.stringify(body), JSON.stringify(stored)])
      expect(text).not.toContain(SECRET);
  });

  it("needs full access, which can make somebody an administrator", async () => {
    const users = {
      viewer: await storeUser(stack, { roles: ["viewer"] }),
      administrator: await storeUser(stack),
      limited: await storeUser(stack, { roles: [{ role: "administrator", serviceNames: ["shop-*"] }] }),
    };
    const keys: [string, string][] = [
      ["permission_denied", users.viewer.rawKey],
      ["permission_denied", users.limited.rawKey],
      ["permission_denied", await createKey(stack, ["principals:manage", "principals:read"])],
      ["permission_denied", await createKey(stack, ["*"], { allowedNetworks: ["127.0.0.0/8"] })],
      ["permission_denied", await createKey(stack, ["*"], { expiresAt: new Date("2100-01-01T00:00:00Z") })],
    ];
    for (const [code, key] of keys) expect(errorOf(await add({}, key)).code).toBe(code);
    const added = await add({}, users.administrator.rawKey);
    expect(added.status).toBe(201);
    const path = `/api/identity-providers/${added.body.id}`;
    for (const [code, key] of keys) {
      const { issuer: _, ...body } = settings();
      expect(errorOf(await http.request("PUT", path, { body, key })).code).toBe(code);
      expect(errorOf(await http.request("DELETE", path, { key })).code).toBe(code);
    }
    await remove(added.body.id);
  });

  it("of another organization is not found", async () => {
    const other = await createHostedOrganization(stack.databaseUrl, "Other");
    const added = await add();
    const path = `/api/identity-providers/${added.body.id}`;
    const { issuer: _, ...body } = settings();
    const as = { key: other.apiKey };
    expect((await http.request("PUT", path, { body, ...as })).status).toBe(404);
    expect((await http.request("DELETE", path, as)).status).toBe(404);
    const listed = await http.get<{ identityProviders: IdentityProvider[] }>("/api/identity-providers", as);
    expect(listed.body.identityProviders).toEqual([]);
    await remove(added.body.id);
  });

  it("gives only roles that there are, and is one of ten at most", async () => {
    expect(errorOf(await add({ roles: [{ group: null, role: "nobody" }] })).code).toBe("not_found");
    const added = [];
    for (let n = 0; n < 10; n++) added.push((await add()).body.id);
    expect(errorOf(await add()).code).toBe("limit_reached");
    for (const id of added) await remove(id);
  });

  it("with a secret needs the operator's key ring", async () => {
    const without = { ...env, JOURNEY_KEYS: "" };
    await using plain = await startApiProcess({ databaseUrl: stack.databaseUrl, env: without });
    const there = createHttpClient(plain.baseUrl, { key: stack.apiKey });
    const refused = await there.post("/api/identity-providers", settings());
    expect(errorOf(refused).code).toBe("encryption_key_missing");
  });
});

describe("the ways to sign in", () => {
  const optionsFor = async (wanted?: string) => {
    const search = wanted === undefined ? "" : `?for=${encodeURIComponent(wanted)}`;
    const { body } = await http.get<SignInOptions>(`/api/sign-in-options${search}`, { key: null });
    return body.providers.map(({ displayName }) => displayName);
  };

  it("are found by the organization's name or id, or by a domain that the operator set", async () => {
    const { body: added } = await add();
    const { organizationId } = stack;
    expect(await optionsFor(organizationId)).toEqual(["Acme ID"]);
    expect(await optionsFor("ACME")).toEqual(["Acme ID"]);
    // There is more than one organization here: a stranger learns of none.
    expect(await optionsFor()).toEqual([]);
    expect(await optionsFor("ada@example.com")).toEqual([]);
    await admin(settings(), ["--sign-in-domain", "Example.com"]);
    expect(await optionsFor("Ada@EXAMPLE.com")).toEqual(["Acme ID"]);
    expect(await optionsFor("ada@sub.example.com")).toEqual([]);
    expect(await optionsFor("nobody")).toEqual([]);
    // By the same issuer and client, it is the same provider.
    const listed = await http.get<{ identityProviders: IdentityProvider[] }>("/api/identity-providers");
    expect(listed.body.identityProviders).toMatchObject([{ id: added.id, signInDomains: ["example.com"] }]);
    await remove(added.id);
  });

  it("by a domain lead to one organization only", async () => {
    const other = await createHostedOrganization(stack.databaseUrl, "Rival");
    const { body: added } = await add();
    await admin(settings(), ["--sign-in-domain", "example.com"]);
    await expect(
      admin(settings(), ["--sign-in-domain", "example.com"], other.organizationId),
    ).rejects.toThrow(/example\.com leads to another identity provider/);
    await remove(added.id);
  });

  it.each<[string, number, Record<string, unknown>]>([
    ["/api/sign-ins", 201, {}],
    ["/api/sign-ins/callback", 401, { query: "" }],
  ])("can be tried as often as an address may try keys: %s", async (path, status, fields) => {
    const { body: added } = await add();
    const limited = { ...env, RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "3" };
    const limitedApi = await startApiProcess({ databaseUrl: stack.databaseUrl, env: limited });
    const there = createHttpClient(limitedApi.baseUrl);
    const headers = { ...OWN_PAGE, cookie: `waymark_sign_in=wmn_${"a".repeat(43)}` };
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++)
      statuses.push(
        (await there.post(path, { identityProviderId: added.id, ...fields }, { headers })).status,
      );
    expect(statuses).toEqual([status, status, status, 429, 429]);
    await limitedApi.stop();
    await remove(added.id);
  });

  it("are not found by a name that two organizations have", async () => {
    const [one] = [
      await createHostedOrganization(stack.databaseUrl, "Twins"),
      await createHostedOrganization(stack.databaseUrl, "twins"),
    ];
    const { body } = await http.post<IdentityProvider>("/api/identity-providers", settings(), {
      key: one.apiKey,
    });
    expect(await optionsFor("twins")).toEqual([]);
    await http.request("DELETE", `/api/identity-providers/${body.id}`, { key: one.apiKey });
  });

  async function admin(
    provider: Record<string, unknown>,
    args: string[],
    organizationId = stack.organizationId,
  ): Promise<string> {
    const folder = await temporaryFolder();
    await folder.write("provider.json", JSON.stringify(provider));
    const file = join(folder.path, "provider.json");
    const script = ["services/api/src/admin.ts", "set-identity-provider", file];
    return runNode(
      [...script, "--organization", organizationId, "--url", "https://waymark.example.com", ...args],
      { ...env, DATABASE_URL: stack.databaseUrl, JOURNEY_KEYS: TEST_JOURNEY_KEYS },
    );
  }
});
