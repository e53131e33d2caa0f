import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { FindingAssignment } from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { FindingComment } from "@waymark/shared/scans/finding-comments/schema.ts";
import type { NormalizedFinding, RunFinding } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const FINDING = { method: "GET" as const, path: "/pets/{id}", message: "has 3 problems" };

async function scan(name: string, changes: Partial<NormalizedFinding> = {}) {
  const findings = [{ code: "no-auth", severity: "high" as const, ...FINDING, ...changes }];
  const { body } = await ingest(stack, {
    ...scanPayload({ serviceName: name, endpoints: 1, seed: randomUUID() }),
    findings,
  });
  await waitForRun(stack, body.scanRunId);
  const list = await stack.http.get<{ findings: RunFinding[] }>(`/api/scan-runs/${body.scanRunId}/findings`);
  const [first] = list.body.findings;
  return { ...body, fingerprint: first?.fingerprint ?? "" };
}

describe("comments on a finding", () => {
  const PATH = "/api/finding-comments";
  const add = (
    finding: { serviceId: string; fingerprint: string },
    text: string,
    http: HttpClient = stack.http,
  ) =>
    http.post<FindingComment>(PATH, { serviceId: finding.serviceId, fingerprint: finding.fingerprint, text });
  const list = async (
    { serviceId, fingerprint }: { serviceId: string; fingerprint: string },
    { http = stack.http, more = "" }: { http?: HttpClient; more?: string } = {},
  ) =>
    (
      await http.get<{ comments: FindingComment[]; nextCursor?: string }>(
        `${PATH}?serviceId=${serviceId}&fingerprint=${fingerprint}${more}`,
      )
    ).body;

  it("stay with it from scan to scan, newest first and in pages, and are not those of another finding", async () => {
    const name = randomUUID();
    const first = await scan(name);
    expect((await add(first, "one\ntwo <b>")).status).toBe(201);
    const next = await scan(name, { path: "/pets/{petId}", message: "has 7 problems" });
    await add(next, "later");
    const page = await list(next, { more: "&limit=1" });
    expect(page.comments).toMatchObject([{ text: "later", isOwn: true, author: null }]);
    const rest = await list(next, { more: `&limit=1&cursor=${page.nextCursor}` });
    expect(rest).toEqual({ comments: [expect.objectContaining({ text: "one\ntwo <b>" })] });
    expect((await list(await scan(name, { message: "another" }))).comments).toEqual([]);
  });

  it("name the user, who deletes own ones with each of their keys, and nobody else does", async () => {
    const finding = await scan(randomUUID());
    const { principalId, http } = await user("Ada");
    const other = await user("Eve");
    const { body } = await add(finding, "mine", http);
    expect(body).toMatchObject({
      author: { type: "user", id: principalId, displayName: "Ada" },
      isOwn: true,
    });
    expect(JSON.stringify(body)).not.toContain("@");
    expect((await list(finding, { http: other.http })).comments).toMatchObject([{ isOwn: false }]);
    for (const stranger of [other.http, stack.http]) {
      const refused = await stranger.request("DELETE", `${PATH}/${body.id}`);
      expect([refused.status, errorOf(refused).code]).toEqual([409, "not_the_author"]);
    }
    const second = createHttpClient(stack.api.baseUrl, {
      key: await createKey(stack, ["*"], { owner: principalId }),
    });
    expect((await second.request("DELETE", `${PATH}/${body.id}`)).status).toBe(204);
    expect((await second.request("DELETE", `${PATH}/${body.id}`)).status).toBe(404);
    expect((await list(finding)).comments).toEqual([]);
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=2");
    const details = { commentId: body.id, serviceId: finding.serviceId, fingerprint: finding.fingerprint };
    expect(audit.auditEvents).toMatchObject([
      { action: "finding_comment.deleted", actor: { displayName: "Ada" }, details },
      { action: "finding_comment.created", actor: { displayName: "Ada" }, details },
    ]);
  });

  it.each<[string, object, string]>([
    ["a blank text", { text: " \n" }, "text"],
    ["a long text", { text: "t".repeat(2_001) }, "text"],
    ["a text with an invisible character", { text: "a\u200bb" }, "text"],
    ["a text that changes the direction", { text: "a\u202eb" }, "text"],
    ["a text with a control character", { text: "a\u001b[31mb" }, "text"],
    ["a text with a key", { text: `as wmk_${"a".repeat(12)}_${"b".repeat(39)}` }, "text"],
    ["another fingerprint", { fingerprint: "0" }, "fingerprint"],
    ["an unknown field", { author: "x" }, ""],
  ])("are refused for %s", async (_, changes, path) => {
    const { serviceId, fingerprint } = await scan("refused");
    const refused = await stack.http.post(PATH, { serviceId, fingerprint, text: "t", ...changes });
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
  });

  it("are read and written by keys for the service, and by nobody of another organization", async () => {
    const [own, other] = [await scan("own-comments"), await scan("other-comments")];
    const scopes = ["findings:decide", "endpoints:read"].map((permission) => ({
      permission,
      serviceId: own.serviceId,
    }));
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    expect((await add(own, "t", http)).status).toBe(201);
    expect((await add(other, "t", http)).status).toBe(403);
    expect(
      (await http.get(`${PATH}?serviceId=${other.serviceId}&fingerprint=${own.fingerprint}`)).status,
    ).toBe(403);
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const foreign = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect((await add(own, "t", foreign)).status).toBe(404);
    expect(
      (await foreign.get(`${PATH}?serviceId=${own.serviceId}&fingerprint=${own.fingerprint}`)).status,
    ).toBe(404);
  });
});

describe("an assignment of a finding", () => {
  const PATH = "/api/finding-assignments";
  const assign = (serviceId: string, body: object = {}, http: HttpClient = stack.http) =>
    http.request<FindingAssignment>("PUT", PATH, {
      body: { serviceId, code: "no-auth", finding: FINDING, ...body },
    });
  const list = async (search: string, http: HttpClient = stack.http) =>
    (await http.get<{ assignments: FindingAssignment[] }>(`${PATH}?${search}`)).body.assignments;

  it("stays from scan to scan, says how many findings it is for now, and is replaced and ended", async () => {
    const name = randomUUID();
    const { serviceId, fingerprint } = await scan(name);
    const [ada, eve] = [await user("Ada"), await user("Eve")];
    const made = await assign(serviceId, { principalId: ada.principalId });
    expect(made).toMatchObject({
      status: 200,
      body: { serviceId, serviceName: name, fingerprint, findingCount: 1, finding: FINDING },
    });
    expect(made.body.assignee).toEqual({
      type: "user",
      id: ada.principalId,
      displayName: "Ada",
      slug: null,
    });
    await scan(name, { path: "/pets/{petId}", message: "has 7 problems" });
    expect(await list(`serviceId=${serviceId}`)).toMatchObject([{ findingCount: 1 }]);
    await scan(name, { message: "another" });
    expect(await list("assignee=me", ada.http)).toMatchObject([{ serviceId, findingCount: 0 }]);
    await assign(serviceId, {}, eve.http);
    expect(await list("assignee=me", ada.http)).toEqual([]);
    expect(await list(`assignee=${eve.principalId}`)).toMatchObject([{ assignee: { displayName: "Eve" } }]);
    const address = `${PATH}?serviceId=${serviceId}&fingerprint=${fingerprint}`;
    for (let times = 0; times < 2; times++)
      expect((await stack.http.request("DELETE", address)).status).toBe(204);
    expect(await list(`serviceId=${serviceId}`)).toEqual([]);
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=3");
    expect(audit.auditEvents).toMatchObject([
      { action: "finding.unassigned", details: { serviceId, fingerprint } },
      {
        action: "finding.assigned",
        details: { fingerprint, principalId: eve.principalId },
        actor: { displayName: "Eve" },
      },
      { action: "finding.assigned", details: { fingerprint, principalId: ada.principalId } },
    ]);
  });

  it("is to an active user of the organization", async () => {
    const { serviceId } = await scan("assigned");
    const gone = await user("Gone");
    await query(stack, "UPDATE principals SET disabled_at = now() WHERE id = $1", [gone.principalId]);
    const bot = await stack.http.post<{ id: string }>("/api/principals", {
      type: "service_account",
      displayName: "Bot",
    });
    const noReader = await storeUser(stack, { roles: [{ role: "viewer", serviceNames: ["another"] }] });
    // Without principals:read, nobody learns whether an id is a user's, and whether the user is disabled.
    const key = await createKey(stack, ["findings:decide", "endpoints:read"]);
    const http = createHttpClient(stack.api.baseUrl, { key });
    const messages = new Set<string | undefined>();
    for (const principalId of [randomUUID(), gone.principalId, bot.body.id, noReader.id]) {
      const refused = await assign(serviceId, { principalId }, http);
      expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, "principalId"]);
      messages.add(refused.text.replace(/"requestId":"[^"]*"/, ""));
    }
    expect(messages.size).toBe(1);
    const nobody = await assign(serviceId, { principalId: null });
    expect([nobody.status, errorOf(nobody).details?.[0]?.path]).toEqual([400, "principalId"]);
    // The first key belongs to no user.
    expect(await list("assignee=me")).toEqual([]);
    expect(await list(`serviceId=${serviceId}`)).toEqual([]);
  });

  it("is seen and set by keys for the service only", async () => {
    const [own, other] = [await scan("own-assigned"), await scan("other-assigned")];
    const { principalId } = await user("Ada");
    for (const { serviceId } of [own, other]) await assign(serviceId, { principalId });
    const scopes = ["findings:decide", "endpoints:read"].map((permission) => ({
      permission,
      serviceId: own.serviceId,
    }));
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    expect(await list(`assignee=${principalId}`, http)).toMatchObject([{ serviceId: own.serviceId }]);
    expect(await list(`serviceId=${other.serviceId}`, http)).toEqual([]);
    expect((await assign(other.serviceId, { principalId }, http)).status).toBe(403);
    const address = `${PATH}?serviceId=${other.serviceId}&fingerprint=${own.fingerprint}`;
    expect((await http.request("DELETE", address)).status).toBe(403);
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const foreign = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect(await list(`serviceId=${own.serviceId}`, foreign)).toEqual([]);
    expect((await assign(own.serviceId, { principalId }, foreign)).status).toBe(404);
  });
});

/** A user with all rights, and a client with a key of theirs. */
async function user(displayName: string) {
  const { id: principalId, rawKey: key } = await storeUser(stack, { displayName });
  return { principalId, http: createHttpClient(stack.api.baseUrl, { key }) };
}
