import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ingest, readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { announceAgain, emptyQueue } from "@waymark/test-support/queue.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";
import { QUEUES, type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";

// A short polling interval, so that lost runs are found while a test waits.
const workerEnv = { WORKER_RECONCILE_MS: "300" };

describe.each(QUEUES)("a scan on the %s queue", (queue) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ queue, workerEnv });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  /** Runs `work` before a worker claims the run. */
  async function withoutWorker<T>(work: () => Promise<T>): Promise<T> {
    await stack.worker.stop();
    try {
      return await work();
    } finally {
      stack.worker = await startWorker({ ...stack, env: workerEnv });
    }
  }

  it("of 2000 endpoints and 500 findings is stored exactly as sent", async () => {
    const payload = scanPayload({ serviceName: "max", endpoints: 2000, findings: 500 });
    const { status, body } = await ingest(stack, payload);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: "accepted",
      endpointCount: 2000,
      findingCount: 500,
      unchanged: false,
    });

    const run = await waitForRun(stack, body.scanRunId);
    expect(run).toMatchObject({ status: "completed", endpointCount: 2000, findingCount: 500, error: null });
    expect(run.findingsBySeverity).toEqual({ info: 100, low: 100, medium: 100, high: 100, critical: 100 });
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(payload.endpoints);
    expect(await readAllItems(stack, body.scanRunId, "findings")).toEqual(payload.findings);
  });

  it("without endpoints and findings is completed too", async () => {
    const { body } = await ingest(stack, scanPayload({ serviceName: "empty", endpoints: 0, findings: 0 }));
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed", endpointCount: 0 });
  });

  it("that is sent again unchanged is completed by its request, with the same rows", async () => {
    const payload = scanPayload({ serviceName: "again" });
    const first = await ingest(stack, payload);
    await waitForRun(stack, first.body.scanRunId);
    const rowsBefore = await countRows("chunk_endpoints");

    const second = await ingest(stack, payload);
    expect(second.body).toMatchObject({
      status: "completed",
      unchanged: true,
      serviceId: first.body.serviceId,
    });
    expect(second.body.scanRunId).not.toBe(first.body.scanRunId);
    expect(await readAllItems(stack, second.body.scanRunId, "endpoints")).toEqual(payload.endpoints);
    expect(await countRows("chunk_endpoints")).toBe(rowsBefore);
  });

  it("is completed although the queue was emptied after its 201", async () => {
    const runs = await withoutWorker(async () => {
      const accepted = [1, 2, 3].map((n) =>
        ingest(stack, scanPayload({ serviceName: "lost", seed: `${n}` })),
      );
      const answers = await Promise.all(accepted);
      await emptyQueue(stack);
      return answers;
    });
    for (const { body } of runs) {
      expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed" });
    }
  });

  it("is stored once although its job is delivered again and its lease has run out", async () => {
    const payload = scanPayload({ serviceName: "twice", endpoints: 5, seed: queue });
    const { body } = await withoutWorker(async () => {
      const answer = await ingest(stack, payload);
      // As if workers had claimed it before and lost their leases: only the attempts are counted.
      await query(stack, "UPDATE scan_payloads SET attempts = 3 WHERE scan_run_id = $1", [
        answer.body.scanRunId,
      ]);
      await announceAgain(stack, answer.body.scanRunId, 5);
      return answer;
    });
    await waitForRun(stack, body.scanRunId);
    await announceAgain(stack, body.scanRunId, 5);
    await ingest(stack, scanPayload({ serviceName: "after twice" })).then((next) =>
      waitForRun(stack, next.body.scanRunId),
    );
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(payload.endpoints);
  });

  it("whose stored payload is damaged fails with a reason, and delays no other run", async () => {
    const [bad, good] = await withoutWorker(async () => {
      const damaged = await ingest(stack, scanPayload({ serviceName: "damaged", seed: "d" }));
      const beside = await ingest(stack, scanPayload({ serviceName: "beside damaged", seed: "b" }));
      const damage = "UPDATE scan_payloads SET items = 'garbage' WHERE scan_run_id = $1";
      await query(stack, damage, [damaged.body.scanRunId]);
      return [damaged, beside] as const;
    });

    const failed = await waitForRun(stack, bad.body.scanRunId);
    expect(failed.status).toBe("failed");
    expect(failed.error).toEqual({
      code: "payload_unusable",
      message: "The stored scan is damaged and can't be read. Submit the scan again.",
    });
    expect(await readAllItems(stack, bad.body.scanRunId, "endpoints")).toEqual([]);
    expect(await waitForRun(stack, good.body.scanRunId)).toMatchObject({ status: "completed" });
  });

  it("that was deleted leaves no payload behind, and delays no other run", async () => {
    const [gone, good] = await withoutWorker(async () => {
      const deleted = await ingest(stack, scanPayload({ serviceName: "deleted", seed: queue }));
      const beside = await ingest(stack, scanPayload({ serviceName: "beside deleted", seed: queue }));
      await query(stack, "DELETE FROM scan_runs WHERE id = $1", [deleted.body.scanRunId]);
      return [deleted, beside] as const;
    });
    expect(await waitForRun(stack, good.body.scanRunId)).toMatchObject({ status: "completed" });
    const left = "SELECT FROM scan_payloads WHERE scan_run_id = $1";
    await expect.poll(() => query(stack, left, [gone.body.scanRunId])).toEqual([]);
  });

  it("whose stored items belong to another scan ends as failed, although they are intact", async () => {
    const replaced = await withoutWorker(async () => {
      const answer = await ingest(stack, scanPayload({ serviceName: "replaced", seed: "replaced" }));
      const other = await ingest(stack, scanPayload({ serviceName: "replaced", seed: "other" }));
      await query(
        stack,
        `UPDATE scan_payloads p SET items = other.items FROM scan_payloads other
         WHERE p.scan_run_id = $1 AND other.scan_run_id = $2`,
        [answer.body.scanRunId, other.body.scanRunId],
      );
      return answer;
    });
    const failed = await waitForRun(stack, replaced.body.scanRunId);
    expect(failed).toMatchObject({
      status: "failed",
      error: {
        code: "payload_unusable",
        message: "Rows of the stored scan are missing. Submit the scan again.",
      },
    });
  });

  it("that changes a little is stored with only the changed rows", async () => {
    const payload = scanPayload({ serviceName: "evolving", endpoints: 300, findings: 50, seed: queue });
    await waitForRun(stack, (await ingest(stack, payload)).body.scanRunId);
    const before = await countRows("chunk_endpoints");

    const changed = payload.endpoints.map((endpoint, n) =>
      n === 150 ? { ...endpoint, summary: "new" } : endpoint,
    );
    const { body } = await ingest(stack, { ...payload, endpoints: changed });
    expect(body.status).toBe("accepted");
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({
      status: "completed",
      endpointCount: 300,
    });
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(changed);
    expect((await countRows("chunk_endpoints")) - before).toBeLessThanOrEqual(32);
  });

  it("that follows one whose content is not stored yet is stored completely, in any order", async () => {
    const payload = scanPayload({ serviceName: "twice-at-once", endpoints: 300, findings: 60 });
    const changed = { ...payload, endpoints: payload.endpoints.toSpliced(100, 1) };
    const runs = await withoutWorker(async () => [
      await ingest(stack, payload),
      await ingest(stack, changed),
    ]);
    expect(runs.map(({ body }) => body)).toMatchObject([{ status: "accepted" }, { status: "accepted" }]);
    for (const [n, { endpoints, findings }] of [payload, changed].entries()) {
      const { scanRunId } = runs[n]?.body ?? { scanRunId: "" };
      expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed", error: null });
      expect(await readAllItems(stack, scanRunId, "endpoints")).toEqual(endpoints);
      expect(await readAllItems(stack, scanRunId, "findings")).toEqual(findings);
    }
  });

  it("with content that the service had before is completed by the request itself", async () => {
    const payload = scanPayload({ serviceName: "back", endpoints: 40, seed: queue });
    const described = { ...payload, spec: { ...payload.spec, title: "Described anew" } };
    await waitForRun(stack, (await ingest(stack, payload)).body.scanRunId);
    await waitForRun(stack, (await ingest(stack, { ...payload, endpoints: [] })).body.scanRunId);
    const { body } = await ingest(stack, described);
    expect(body).toMatchObject({ status: "completed", unchanged: false });
    expect(await readAllItems(stack, body.scanRunId, "endpoints")).toEqual(payload.endpoints);
  });

  async function countRows(table: string): Promise<number> {
    const [row] = await query<{ total: number }>(stack, `SELECT count(*)::int AS total FROM ${table}`);
    return row?.total ?? 0;
  }
});
