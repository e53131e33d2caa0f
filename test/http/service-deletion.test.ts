import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { CreatedServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { replaceInFunction, untilWaiting } from "@waymark/test-support/pauses.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  type Stack,
  startStack,
  startWorker,
} from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const send = (serviceName: string, seed: string, headers = {}) =>
  stack.http.post<ScanIngestionResult>("/api/scans/ingest", scanPayload({ serviceName, seed }), { headers });

async function scan(serviceName: string, seed: string, headers = {}) {
  const { status, body } = await send(serviceName, seed, headers);
  expect(status).toBe(201);
  await waitForRun(stack, body.scanRunId);
  return body;
}

const remove = (serviceId: string, name: string, key = stack.apiKey) =>
  stack.http.request<{ error?: { code: string; details?: { path: string }[] } }>(
    "DELETE",
    `/api/services/${serviceId}?name=${encodeURIComponent(name)}`,
    { key },
  );
const statusOf = async (path: string) => (await stack.http.get(path)).status;

/** How many rows of each table name a service. */
async function rowsOf(serviceId: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    stack,
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'service_id' AND t.table_type = 'BASE TABLE'`,
  );
  const counts = await query<{ name: string; count: number }>(
    stack,
    tables
      .map(
        ({ name }) => `SELECT '${name}' AS name, count(*)::int AS count FROM ${name} WHERE service_id = $1`,
      )
      .join(" UNION ALL "),
    [serviceId],
  );
  return Object.fromEntries(counts.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

describe("a deleted service", () => {
  it("is found nowhere, and a worker deletes everything that names it, and nothing else", async () => {
    const kept = await scan("deletion-kept", "shared");
    const { serviceId, scanRunId } = await scan("deletion-gone", "shared");
    const second = await scan("deletion-gone", "changed");
    const badge = await stack.http.post<CreatedServiceBadge>(`/api/services/${serviceId}/badge`);
    const image = new URL(badge.body.url);
    await stack.http.request("PATCH", `/api/services/${serviceId}`, {
      key: stack.apiKey,
      body: { name: "deletion-renamed", labels: { team: "gone" } },
    });
    await stack.http.post(`/api/services/${serviceId}/change-approvals`, {
      fingerprints: ["0".repeat(32)],
      reason: "r",
    });
    await stack.http.post("/api/finding-decisions", { kind: "wont_fix", serviceId, code: "c", reason: "r" });
    const ofFinding = { serviceId, fingerprint: "0".repeat(32) };
    await stack.http.post("/api/finding-comments", { ...ofFinding, text: "seen" });
    await query(
      stack,
      `INSERT INTO finding_assignments (organization_id, service_id, fingerprint, id, code, message, principal_id, assigned_by_key_id)
       SELECT organization_id, $1, id, id, 'c', 'm', id, id FROM principals WHERE id = $2`,
      [serviceId, (await storeUser(stack)).id],
    );
    await expect
      .poll(() => rowsOf(serviceId), { timeout: 60_000 })
      .toMatchObject({
        service_days: 1,
        service_changes: 1,
        change_approvals: 1,
        finding_decisions: 1,
        finding_comments: 1,
        finding_assignments: 1,
        service_aliases: 1,
      });

    expect((await remove(serviceId, "deletion-renamed")).status).toBe(204);
    const paths = [
      `/api/services/${serviceId}`,
      `/api/services/${serviceId}/scan-runs`,
      `/api/services/${serviceId}/endpoints`,
      `/api/services/${serviceId}/changes`,
      `/api/services/${serviceId}/badge`,
      `/api/scan-runs/${scanRunId}`,
      `/api/scan-runs/${scanRunId}/endpoints`,
      `/api/scan-runs/${second.scanRunId}/changes`,
    ];
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 404]);
    expect((await stack.http.get(image.pathname + image.search, { key: null })).status).toBe(404);
    const list = await stack.http.get<{ services: Service[] }>("/api/services");
    expect(list.body.services.map(({ id }) => id)).not.toContain(serviceId);
    for (const path of ["/api/endpoints?q=get&limit=200", "/api/findings?limit=200", "/api/overview"])
      expect((await stack.http.get(path)).text).not.toContain(serviceId);
    expect((await remove(serviceId, "deletion-renamed")).status).toBe(404);

    await expect.poll(() => rowsOf(serviceId), { timeout: 60_000 }).toEqual({});
    const runs = await query(stack, "SELECT FROM scan_runs WHERE id IN ($1, $2)", [
      scanRunId,
      second.scanRunId,
    ]);
    expect(runs).toEqual([]);
    const other = await stack.http.get<{ endpoints: unknown[] }>(`/api/services/${kept.serviceId}/endpoints`);
    expect(other.body.endpoints).toHaveLength(3);
    const counts = async () => {
      const { body } = await stack.http.get<Overview>("/api/overview");
      return body.days?.at(-1)?.serviceCount;
    };
    await expect.poll(counts, { timeout: 60_000 }).toBe(list.body.services.length);
  });

  it("leaves its names to new services, also for bytes and keys that were sent before", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const first = await scan("deletion-again", "1", headers);
    expect((await scan("deletion-again", "1")).serviceId).toBe(first.serviceId);
    await remove(first.serviceId, "deletion-again");
    const again = await scan("deletion-again", "1", headers);
    expect([again.serviceId, again.scanRunId]).not.toContain(first.serviceId);
    expect(again.scanRunId).not.toBe(first.scanRunId);
    for (let times = 0; times < 3; times++)
      expect((await scan("deletion-again", "1")).serviceId).toBe(again.serviceId);
    expect((await scan("deletion-again", "1", headers)).scanRunId).toBe(again.scanRunId);
  });

  it("is deleted only with its present name, by services:delete for it", async () => {
    const { serviceId } = await scan("deletion-asked", "1");
    const other = await scan("deletion-other", "1");
    for (const name of ["deletion-other", "Deletion-asked", "deletion-asked ", "x"]) {
      const { status, body } = await remove(serviceId, name);
      expect([status, body.error?.details?.[0]?.path]).toEqual([400, "name"]);
    }
    expect(
      (await stack.http.request("DELETE", `/api/services/${serviceId}`, { key: stack.apiKey })).status,
    ).toBe(400);
    const updater = await createKey(stack, ["services:update", "services:read", "services:create"]);
    expect((await remove(serviceId, "deletion-asked", updater)).status).toBe(403);
    const limited = await createKey(stack, [{ permission: "services:delete", serviceId: other.serviceId }]);
    const refused = [
      await remove(serviceId, "deletion-asked", limited),
      await remove(serviceId, "wrong", limited),
      await remove(randomUUID(), "deletion-asked", limited),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await remove(other.serviceId, "deletion-other", limited)).status).toBe(204);
    const { body } = await stack.http.get<{ auditEvents: { details: unknown }[] }>(
      "/api/audit-events?action=service.deleted",
    );
    expect(body.auditEvents[0]?.details).toEqual({ serviceId: other.serviceId, name: "deletion-other" });
    expect(await statusOf(`/api/services/${serviceId}`)).toBe(200);
  });

  it("is deleted once by two requests at once", async () => {
    const { serviceId } = await scan("deletion-twice", "1");
    const answers = await Promise.all([
      remove(serviceId, "deletion-twice"),
      remove(serviceId, "deletion-twice"),
    ]);
    for (const { status } of answers) expect([204, 404]).toContain(status);
    const events = await query(
      stack,
      "SELECT FROM audit_events WHERE action = 'service.deleted' AND details->>'serviceId' = $1",
      [serviceId],
    );
    expect(events).toHaveLength(1);
  });

  const DELETE = "UPDATE services SET deleted_at = now(), name = NULL, current_run_id = NULL WHERE id = $1";

  it("takes no scan that waited for its deletion: that creates a new service", async () => {
    const { serviceId } = await scan("deletion-waits", "1");
    await using deletion = await holdStatement(stack, DELETE, [serviceId]);
    const waiting = send("deletion-waits", "1");
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await deletion.commit();
    const { status, body } = await waiting;
    expect(status).toBe(201);
    expect(body.serviceId).not.toBe(serviceId);
    expect((await waitForRun(stack, body.scanRunId)).status).toBe("completed");
  });

  it("takes a scan with it that was being accepted while it was deleted", async () => {
    const { serviceId } = await scan("deletion-overlaps", "1");
    await using deletion = await holdStatement(stack, DELETE, [serviceId]);
    const waiting = send("deletion-overlaps", "new content");
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await deletion.commit();
    const { status, body } = await waiting;
    expect([status, body.serviceId]).toEqual([201, serviceId]);
    expect(await statusOf(`/api/scan-runs/${body.scanRunId}`)).toBe(404);
    await expect.poll(() => rowsOf(serviceId), { timeout: 60_000 }).toEqual({});
    const payloads = await query(stack, "SELECT FROM scan_payloads WHERE scan_run_id = $1", [body.scanRunId]);
    expect(payloads).toEqual([]);
  });

  it("loses its data also while that of an earlier organization can't be deleted", async () => {
    const { apiKey: key } = await createHostedOrganization(stack.databaseUrl, "Later");
    const { body } = await stack.http.post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "deletion-later", seed: "1" }),
      { key },
    );
    await using _fault = await replaceInFunction(stack, "delete_service_data", {
      text: "  row_count := 0;\n",
      by: `  row_count := 0;\n  IF p_organization_id = '${stack.organizationId}' THEN RAISE 'a fault'; END IF;\n`,
    });
    expect((await remove(body.serviceId, "deletion-later", key)).status).toBe(204);
    await expect.poll(() => rowsOf(body.serviceId), { timeout: 60_000 }).toEqual({});
  });

  it("leaves no content behind after two days, also if all scans are kept, and then no row", async () => {
    const { serviceId } = await scan("deletion-content", "content of one service only");
    await remove(serviceId, "deletion-content");
    await expect.poll(() => rowsOf(serviceId), { timeout: 60_000 }).toEqual({});
    const own = "SELECT FROM chunk_endpoints WHERE path LIKE '%content of one service only%'";
    const row = "SELECT FROM services WHERE id = $1";
    const left = async () => [
      (await query(stack, own)).length > 0,
      (await query(stack, row, [serviceId])).length,
    ];
    expect(await left()).toEqual([true, 1]);
    await query(stack, "UPDATE snapshots SET created_at = created_at - interval '3 days'");
    await query(stack, "UPDATE services SET deleted_at = deleted_at - interval '3 days' WHERE id = $1", [
      serviceId,
    ]);
    await stack.worker.stop();
    stack.worker = await startWorker({ ...stack, env: { WORKER_HOUSEKEEPING_MS: "100" } });
    await expect.poll(left, { timeout: 60_000 }).toEqual([false, 0]);
  });
});
