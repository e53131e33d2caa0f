import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("promotion", () => {
  it("makes a run current that was stored without becoming current, and it stays current", async () => {
    const payload = (seed: string) => scanPayload({ serviceName: "gated", seed });
    const current = await ingest(stack, payload("1"));
    await waitForRun(stack, current.body.scanRunId);
    const held = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload("2"), {
      headers: { "waymark-promote": "false" },
    });
    const heldRun = await waitForRun(stack, held.body.scanRunId);
    expect(heldRun).toMatchObject({ promoted: false });
    const service = `/api/services/${current.body.serviceId}`;
    expect((await stack.http.get(service)).body).toMatchObject({
      currentScanRunId: current.body.scanRunId,
      lastHeldScan: { scanRunId: held.body.scanRunId, scannedAt: heldRun.scannedAt },
    });

    for (let times = 0; times < 2; times++) {
      const answer = await stack.http.post(`/api/scan-runs/${held.body.scanRunId}/promote`);
      expect([answer.status, answer.body]).toMatchObject([200, { id: held.body.scanRunId, promoted: true }]);
      expect((await stack.http.get(service)).body).toMatchObject({
        currentScanRunId: held.body.scanRunId,
        lastHeldScan: null,
        findingsBySeverity: heldRun.findingsBySeverity,
      });
    }
  });

  const send = async (serviceName: string, { seed, promote }: { seed: string; promote: boolean }) => {
    const { body } = await stack.http.post<{ scanRunId: string; serviceId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName, seed }),
      { headers: { "waymark-promote": String(promote) } },
    );
    await waitForRun(stack, body.scanRunId);
    return body;
  };
  const currentOf = async (serviceId: string) =>
    (await stack.http.get<{ currentScanRunId: string | null }>(`/api/services/${serviceId}`)).body
      .currentScanRunId;
  const promote = (scanRunId: string) => stack.http.post(`/api/scan-runs/${scanRunId}/promote`);
  const undo = (scanRunId: string) => stack.http.request("DELETE", `/api/scan-runs/${scanRunId}/promotion`);

  it("is undone within ten minutes: the run that was current before is current again", async () => {
    const first = await send("undone", { seed: "1", promote: true });
    const held = await send("undone", { seed: "2", promote: false });
    await promote(held.scanRunId);
    expect(await currentOf(first.serviceId)).toBe(held.scanRunId);
    for (let times = 0; times < 2; times++) {
      expect(await undo(held.scanRunId)).toMatchObject({
        status: 200,
        body: { id: held.scanRunId, promoted: false },
      });
      expect(await currentOf(first.serviceId)).toBe(first.scanRunId);
    }
    const { body: events } = await stack.http.get<{ auditEvents: { details: unknown }[] }>(
      "/api/audit-events?action=scan_run.promotion_undone",
    );
    expect(events.auditEvents.map(({ details }) => details)).toEqual([
      { scanRunId: held.scanRunId, serviceId: first.serviceId },
    ]);
  });

  it("is undone once by two requests at once, and both get the run", async () => {
    const first = await send("undone-twice", { seed: "1", promote: true });
    const held = await send("undone-twice", { seed: "2", promote: false });
    await promote(held.scanRunId);
    const locked = "SELECT FROM services WHERE id = $1 FOR UPDATE";
    await using row = await holdStatement(stack, locked, [first.serviceId]);
    const answers = [undo(held.scanRunId), undo(held.scanRunId)];
    await untilWaiting(stack, { atLeast: 2, type: "row" });
    await row.commit();
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatchObject({ status: 200, body: { id: held.scanRunId, promoted: false } });
    }
    expect(await currentOf(first.serviceId)).toBe(first.scanRunId);
    const events = await query(
      stack,
      "SELECT FROM audit_events WHERE action = 'scan_run.promotion_undone' AND details->>'scanRunId' = $1",
      [held.scanRunId],
    );
    expect(events).toHaveLength(1);
  });

  it("is undone for a service that had no current run: it has none again", async () => {
    const held = await send("first-held", { seed: "1", promote: false });
    await promote(held.scanRunId);
    expect(await currentOf(held.serviceId)).toBe(held.scanRunId);
    expect((await undo(held.scanRunId)).status).toBe(200);
    expect(await currentOf(held.serviceId)).toBeNull();
  });

  it("is not undone if another run was promoted since, newer or between", async () => {
    const first = await send("superseded", { seed: "1", promote: true });
    const between = await send("superseded", { seed: "2", promote: false });
    const held = await send("superseded", { seed: "3", promote: false });
    await promote(held.scanRunId);
    await promote(between.scanRunId);
    const refused = await undo(held.scanRunId);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "promotion_final" } } });
    expect(JSON.stringify(refused.body)).toContain("Another run of this service was promoted since");
    expect(await currentOf(first.serviceId)).toBe(held.scanRunId);
    // The last promotion can be undone, and then the one before it.
    expect((await undo(between.scanRunId)).status).toBe(200);
    const newer = await send("superseded", { seed: "4", promote: true });
    expect((await undo(held.scanRunId)).status).toBe(409);
    expect(await currentOf(first.serviceId)).toBe(newer.scanRunId);
  });

  it("is final after ten minutes, and for a run that was submitted as promoted", async () => {
    const first = await send("final", { seed: "1", promote: true });
    expect(await undo(first.scanRunId)).toMatchObject({
      status: 409,
      body: { error: { code: "promotion_final" } },
    });
    const held = await send("final", { seed: "2", promote: false });
    await promote(held.scanRunId);
    await query(
      stack,
      `UPDATE scan_runs SET promotion = promotion || jsonb_build_object('at', now() - interval '10 minutes') WHERE id = $1`,
      [held.scanRunId],
    );
    expect(await undo(held.scanRunId)).toMatchObject({
      status: 409,
      body: { error: { code: "promotion_final" } },
    });
    expect(await currentOf(first.serviceId)).toBe(held.scanRunId);
  });

  it("never moves a service back: a scan made earlier stays behind a newer one", async () => {
    const now = await ingest(stack, scanPayload({ serviceName: "late", seed: "now" }));
    await waitForRun(stack, now.body.scanRunId);
    const late = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "late", seed: "an hour ago" }),
      { headers: { "scanned-at": new Date(Date.now() - 3_600_000).toISOString() } },
    );
    await waitForRun(stack, late.body.scanRunId);
    await stack.http.post(`/api/scan-runs/${late.body.scanRunId}/promote`);
    const service = await stack.http.get(`/api/services/${now.body.serviceId}`);
    expect(service.body).toMatchObject({ currentScanRunId: now.body.scanRunId });
  });

  it("is refused to a key that can only read", async () => {
    const { body } = await ingest(stack, scanPayload({}));
    const key = await createKey(stack, ["services:read", "endpoints:read"]);
    const answer = await stack.http.post(`/api/scan-runs/${body.scanRunId}/promote`, undefined, { key });
    expect(answer.status).toBe(403);
  });
});
