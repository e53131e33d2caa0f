import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { RUN_COMMENT_LIMITS } from "@waymark/shared/scans/run-comments/limits.ts";
import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string = randomUUID()) {
  const { body } = await ingest(stack, scanPayload({ serviceName, endpoints: 1, seed: randomUUID() }));
  await waitForRun(stack, body.scanRunId);
  return body;
}

async function user(displayName: string, roles?: string[]) {
  const { id: principalId, rawKey: key } = await storeUser(stack, {
    displayName,
    ...(roles !== undefined && { roles }),
  });
  return { principalId, http: createHttpClient(stack.api.baseUrl, { key }) };
}

const pathOf = (scanRunId: string) => `/api/scan-runs/${scanRunId}/comments`;
const add = (scanRunId: string, text: string, http: HttpClient = stack.http) =>
  http.post<ScanRunComment>(pathOf(scanRunId), { text });
const list = async (scanRunId: string, search = "", http: HttpClient = stack.http) =>
  (await http.get<{ comments: ScanRunComment[]; nextCursor?: string }>(`${pathOf(scanRunId)}${search}`)).body;

describe("comments on a scan run", () => {
  it("are listed oldest first and in pages, as they were written, and not with another run", async () => {
    const { scanRunId } = await scan();
    const other = await scan();
    const [first, second] = ["one\n\ttwo <b>https://a.example</b>", "👩‍💻 later"];
    for (const text of [first, second]) expect((await add(scanRunId, text)).status).toBe(201);
    await add(other.scanRunId, "elsewhere");
    const page = await list(scanRunId, "?limit=1");
    expect(page.comments).toMatchObject([{ text: first, isOwn: true, author: null, editedAt: null }]);
    const rest = await list(scanRunId, `?limit=1&cursor=${page.nextCursor}`);
    expect(rest).toEqual({ comments: [expect.objectContaining({ text: second })] });
    const refused = await stack.http.get(`${pathOf(other.scanRunId)}?cursor=${page.nextCursor}`);
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, "cursor"]);
  });

  it("are changed by their author with each key, and by nobody else", async () => {
    const { scanRunId, serviceId } = await scan();
    const [ada, eve] = [await user("Ada"), await user("Eve", ["developer"])];
    const { body } = await add(scanRunId, "mine", ada.http);
    expect(body).toMatchObject({ author: { type: "user", displayName: "Ada" }, isOwn: true });
    const path = `${pathOf(scanRunId)}/${body.id}`;
    const change = (http: HttpClient, text: string) =>
      http.request<ScanRunComment>("PATCH", path, { body: { text } });
    for (const http of [stack.http, eve.http]) {
      const refused = await change(http, "not mine");
      expect([refused.status, errorOf(refused).code]).toEqual([409, "not_the_author"]);
    }
    const key = await createKey(stack, ["*"], { owner: ada.principalId });
    const changed = await change(createHttpClient(stack.api.baseUrl, { key }), "better");
    expect(changed).toMatchObject({ status: 200, body: { id: body.id, text: "better", isOwn: true } });
    expect(Date.parse(changed.body.editedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
    expect((await list(scanRunId, "", eve.http)).comments).toEqual([{ ...changed.body, isOwn: false }]);
    const details = { commentId: body.id, scanRunId, serviceId };
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=10");
    const events = audit.auditEvents.filter((event) => event.details?.["scanRunId"] === scanRunId);
    expect(events).toMatchObject([
      { action: "scan_run_comment.updated", actor: { displayName: "Ada" }, details },
      { action: "scan_run_comment.created", actor: { displayName: "Ada" }, details },
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/better|mine/);
  });

  it("are deleted by their author and by administrators, and not by other developers", async () => {
    const { scanRunId } = await scan();
    const [ada, eve] = [await user("Ada", ["developer"]), await user("Eve", ["developer"])];
    const remove = (http: HttpClient, id: string) => http.request("DELETE", `${pathOf(scanRunId)}/${id}`);
    const own = (await add(scanRunId, "own", ada.http)).body.id;
    const bad = (await add(scanRunId, "bad", ada.http)).body.id;
    expect((await remove(eve.http, own)).status).toBe(403);
    expect((await remove(ada.http, own)).status).toBe(204);
    expect((await remove(ada.http, own)).status).toBe(404);
    expect((await remove(stack.http, bad)).status).toBe(204);
    expect((await list(scanRunId)).comments).toEqual([]);
  });

  it("are not reached by the address of another run", async () => {
    const [own, other] = [await scan(), await scan()];
    const { body } = await add(own.scanRunId, "t");
    const path = `${pathOf(other.scanRunId)}/${body.id}`;
    expect((await stack.http.request("PATCH", path, { body: { text: "x" } })).status).toBe(404);
    expect((await stack.http.request("DELETE", path)).status).toBe(404);
    expect((await list(own.scanRunId)).comments).toMatchObject([{ text: "t" }]);
  });

  it.each<[string, unknown, string]>([
    ["a blank text", { text: " \n\t" }, "text"],
    ["a long text", { text: "t".repeat(RUN_COMMENT_LIMITS.textMax + 1) }, "text"],
    ["a text that changes the direction", { text: "a\u202eb" }, "text"],
    ["a text with a control character", { text: "a\u001b[31mb" }, "text"],
    ["a text with a key", { text: `as wmk_${"a".repeat(12)}_${"b".repeat(39)}` }, "text"],
    ["an unknown field", { text: "t", author: "x" }, ""],
  ])("are refused for %s, when they are written and when they are changed", async (_, body, path) => {
    const { scanRunId } = await scan();
    const { id } = (await add(scanRunId, "t")).body;
    for (const refused of [
      await stack.http.post(pathOf(scanRunId), body),
      await stack.http.request("PATCH", `${pathOf(scanRunId)}/${id}`, { body }),
    ])
      expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
  });

  it("are read and written by keys for the service, not by readers or other organizations", async () => {
    const [own, other] = [await scan(), await scan()];
    const scopes = ["findings:decide", "endpoints:read"].map((permission) => ({
      permission,
      serviceId: own.serviceId,
    }));
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    expect((await add(own.scanRunId, "t", http)).status).toBe(201);
    expect((await add(other.scanRunId, "t", http)).status).toBe(403);
    expect((await http.get(pathOf(other.scanRunId))).status).toBe(403);
    const viewer = await user("Vi", ["viewer"]);
    expect((await list(own.scanRunId, "", viewer.http)).comments).toHaveLength(1);
    expect((await add(own.scanRunId, "t", viewer.http)).status).toBe(403);
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const foreign = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect((await add(own.scanRunId, "t", foreign)).status).toBe(404);
    expect((await foreign.get(pathOf(own.scanRunId))).status).toBe(404);
  });

  it("are refused if the run is deleted while they are written", async () => {
    const { scanRunId } = await scan();
    await query(stack, "UPDATE services SET current_run_id = NULL WHERE current_run_id = $1", [scanRunId]);
    const writers = "SELECT pg_advisory_xact_lock(hashtextextended('comments on run ' || $1, 0))";
    await using held = await holdStatement(stack, writers, [scanRunId]);
    const answer = add(scanRunId, "too late");
    await untilWaiting(stack, { atLeast: 1, type: "advisory" });
    await query(stack, "DELETE FROM scan_runs WHERE id = $1", [scanRunId]);
    await held.commit();
    expect(errorOf(await answer)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("are bounded for a run, and deleted with it", async () => {
    const { scanRunId } = await scan();
    await query(
      stack,
      `INSERT INTO scan_run_comments (organization_id, scan_run_id, id, text, created_by_key_id)
       SELECT $1, $2, gen_random_uuid(), 't', $3 FROM generate_series(1, $4)`,
      [stack.organizationId, scanRunId, randomUUID(), RUN_COMMENT_LIMITS.perRunMax - 1],
    );
    const answers = await Promise.all([add(scanRunId, "last"), add(scanRunId, "one more")]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    await query(stack, "UPDATE services SET current_run_id = NULL WHERE current_run_id = $1", [scanRunId]);
    await query(stack, "DELETE FROM scan_runs WHERE id = $1", [scanRunId]);
    expect(await query(stack, "SELECT FROM scan_run_comments WHERE scan_run_id = $1", [scanRunId])).toEqual(
      [],
    );
  });
});
