import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { CreatedInvitation, Invitation } from "@waymark/shared/principals/invitations/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { storeKey } from "@waymark/test-support/api-key-ids.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { outcomeOf } from "@waymark/test-support/sessions.ts";
import { createHttpClient, type HttpRequest } from "@waymark/test-support/http-client.ts";
import { startApi } from "@waymark/test-support/stack.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Accepted {
  userId: string;
  apiKeyId: string;
  rawKey: string;
}

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const VIEWER = [{ role: "viewer" }];
const newEmail = () => `${randomUUID()}@example.com`;
const invite = (request: object = {}, key?: string) =>
  stack.http.post<CreatedInvitation>(
    "/api/invitations",
    { email: newEmail(), roles: VIEWER, ...request },
    key === undefined ? {} : { key },
  );
const tokenOf = ({ url }: { url: string }) => url.split("#invitation=")[1] ?? "";
const accept = (token: string, displayName = "Ada", http = stack.http) =>
  http.post<Accepted>("/api/invitation-acceptances", { token, displayName }, { key: null });
const INVALID = { status: 404, code: "invitation_invalid" };

describe("an invitation", () => {
  it("makes a user with its roles, a session and a personal key, and the audit record names the person", async () => {
    const email = newEmail();
    const roles = [{ role: "developer", serviceNames: ["payments-*"] }];
    const created = await invite({ email, roles });
    expect(created.status).toBe(201);
    expect(created.body.url).toMatch(/\/#invitation=wmi_[\w-]{43}$/);
    const accepted = await accept(tokenOf(created.body), "Ada Lovelace");
    expect(accepted.status).toBe(201);
    const { userId, rawKey, apiKeyId } = accepted.body;
    const [cookie = ""] = (accepted.headers.get("set-cookie") ?? "").split(";");
    expect(await outcomeOf(stack.api, cookie)).toBe("200");
    const session = await stack.http.get("/api/session", { key: null, headers: { cookie } });
    const principal = { type: "user", id: userId, displayName: "Ada Lovelace" };
    expect(session.body).toMatchObject({ apiKeyId, principal });
    const user = (await stack.http.get<Principal>(`/api/principals/${userId}`)).body;
    expect(user).toMatchObject({ email, roleGrants: roles });
    expect((await stack.http.get("/api/services", { key: rawKey })).status).toBe(200);
    expect((await stack.http.get("/api/journeys", { key: rawKey })).status).toBe(403);
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
      `/api/audit-events?actorPrincipalId=${userId}`,
    );
    expect(body.auditEvents.map(({ action, actor }) => [action, actor?.displayName])).toContainEqual([
      "invitation.accepted",
      "Ada Lovelace",
    ]);
  });

  it("is accepted once, also by two requests at the same time in two processes", async () => {
    for (let round = 0; round < 3; round++) {
      const token = tokenOf((await invite()).body);
      const answers = await Promise.all([accept(token), accept(token, "Eve", stack.other)]);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(errorOf(await accept(token))).toMatchObject(INVALID);
    }
  });

  it("is refused after 7 days, when withdrawn, when replaced, and with any other token", async () => {
    const late = (await invite()).body;
    await query(stack, "UPDATE invitations SET expires_at = now() WHERE id = $1", [late.id]);
    expect(errorOf(await accept(tokenOf(late)))).toMatchObject(INVALID);
    const withdrawn = (await invite()).body;
    expect((await stack.http.request("DELETE", `/api/invitations/${withdrawn.id}`)).status).toBe(204);
    expect((await stack.http.request("DELETE", `/api/invitations/${withdrawn.id}`)).status).toBe(404);
    const email = newEmail();
    const replaced = (await invite({ email })).body;
    const latest = (await invite({ email: email.toUpperCase() })).body;
    for (const token of [
      tokenOf(late),
      tokenOf(withdrawn),
      tokenOf(replaced),
      `wmi_${"a".repeat(43)}`,
      "",
      "x",
    ])
      expect(errorOf(await accept(token))).toMatchObject(INVALID);
    const { body } = await stack.http.get<{ invitations: Invitation[] }>("/api/invitations");
    const { url: _url, ...listed } = latest;
    expect(body.invitations[0]).toEqual(listed);
    expect(body.invitations.map(({ id }) => id)).not.toContain(replaced.id);
    expect((await accept(tokenOf(latest))).status).toBe(201);
  });

  it("ends with the right to invite: its key revoked, its user disabled or without the role", async () => {
    const key = await storeKey(stack, stack, ["principals:manage", "services:read", "*"]);
    const byKey = tokenOf((await invite({}, key.rawKey)).body);
    await stack.http.post(`/api/api-keys/${key.id}/revoke`);
    expect(errorOf(await accept(byKey))).toMatchObject(INVALID);
    await storeUser(stack);
    const user = await storeUser(stack);
    const byUser = tokenOf((await invite({}, user.rawKey)).body);
    await stack.http.post(`/api/principals/${user.id}/disable`);
    expect(errorOf(await accept(byUser))).toMatchObject(INVALID);
    await stack.http.post(`/api/principals/${user.id}/enable`);
    const { roleGrants } = (await stack.http.get<Principal>(`/api/principals/${user.id}`)).body;
    await stack.http.request("DELETE", `/api/principals/${user.id}/role-grants/${roleGrants[0]?.id}`);
    expect(errorOf(await accept(byUser))).toMatchObject(INVALID);
    expect((await invite({}, user.rawKey)).status).toBe(403);
  });

  it("gives no role that its maker could not grant, and none that does not exist", async () => {
    const manager = await storeKey(stack, stack, [
      "principals:manage",
      "services:read",
      "endpoints:read",
      "journeys:read",
      "environments:read",
    ]);
    expect((await invite({}, manager.rawKey)).status).toBe(201);
    for (const role of ["developer", "administrator"])
      expect(errorOf(await invite({ roles: [{ role }] }, manager.rawKey))).toMatchObject({ status: 403 });
    expect((await invite({ roles: [{ role: "unknown" }] })).status).toBe(404);
  });

  it("is for one address, which is ASCII and the same in any case", async () => {
    const email = `ada-${randomUUID()}@example.com`;
    expect((await accept(tokenOf((await invite({ email })).body))).status).toBe(201);
    for (const same of [email, email.toUpperCase(), email.replace("ada", "Ada")])
      expect(errorOf(await invite({ email: same }))).toMatchObject({ status: 409, code: "email_taken" });
    for (const unlike of [
      "\u0430da@example.com",
      "ad\u0131@example.com",
      "ada@ex\u00e4mple.com",
      "\uff41da@example.com",
      "ada@example.com ",
      "a da@example.com",
      "ada",
      "",
    ])
      expect((await invite({ email: unlike })).status).toBe(400);
  });

  it("leaves its token nowhere: not in the database, the list or the audit record", async () => {
    const created = (await invite()).body;
    const token = tokenOf(created);
    const { text } = await stack.http.get("/api/invitations");
    const audit = await stack.http.get("/api/audit-events");
    const rows = await query(stack, "SELECT to_jsonb(i)::text AS row FROM invitations i");
    for (const each of [text, audit.text, JSON.stringify(rows)]) expect(each).not.toContain(token);
    // A token that a client puts into an address is not in the log either.
    await stack.http.get(`/api/invitations?token=${token}`);
    expect(JSON.stringify(stack.api.logLines())).not.toContain(token);
  });

  it("comes from the operator, too, before there is any user", async () => {
    const args = ["services/api/src/admin.ts", "invite", newEmail(), "--organization", stack.organizationId];
    const output = await runNode([...args, "--url", "https://waymark.example.com/", "--json"], {
      DATABASE_URL: stack.databaseUrl,
    });
    const created = JSON.parse(output) as CreatedInvitation;
    expect(created.url).toMatch(/^https:\/\/waymark\.example\.com\/#invitation=wmi_/);
    const { body } = await accept(tokenOf(created));
    expect((await stack.http.get("/api/audit-events", { key: body.rawKey })).status).toBe(200);
  });
});

it.each<[string, number, HttpRequest]>([
  ["guessing tokens", 404, { body: { token: "wmi_guess", displayName: "Eve" } }],
  ["a body of another type", 415, { body: "wmi_guess", headers: { "content-type": "text/plain" } }],
])("%s uses up the attempts of an address", async (_, status, request) => {
  await using api = await startApi({ ...stack, env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "3" } });
  const http = createHttpClient(api.baseUrl);
  const statuses: number[] = [];
  while (statuses.length < 4)
    statuses.push((await http.request("POST", "/api/invitation-acceptances", request)).status);
  expect(statuses).toEqual([status, status, status, 429]);
});
