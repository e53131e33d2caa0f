import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpResponse } from "@waymark/test-support/http-client.ts";
import { pauseAfter } from "@waymark/test-support/pauses.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";

const WAITING_MAX = 20;

let stack: Stack;
let blocker: Client;
beforeAll(async () => {
  stack = await startStack({
    apiEnv: { DATABASE_POOL_MAX: "4", DATABASE_WAITING_MAX: String(WAITING_MAX) },
    workerEnv: { WORKER_LEASE_MS: "3000", WORKER_RECONCILE_MS: "500" },
  });
  blocker = new Client(stack.databaseUrl);
  await blocker.connect();
});
afterAll(async () => {
  await blocker.end();
  await stack[Symbol.asyncDispose]();
});

/** A database that accepts no scan until it is released. */
async function whileBlocked<T>(work: () => Promise<T>): Promise<T> {
  await using _pause = await pauseAfter(stack, "accept_scan_run", "finding_count := v_run.finding_count;");
  return await work();
}

function expectRefusal(answer: HttpResponse<unknown>) {
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(ErrorResponse.parse(answer.body).error.code).toBe("service_unavailable");
}

describe("an api whose database is overloaded", () => {
  it("refuses requests above its limit at once, stays alive, and loses no accepted scan", async () => {
    const REQUESTS = 300;
    const start = Date.now();
    const refusedAfter: number[] = [];
    let pending: Promise<HttpResponse<ScanIngestionResult>>[] = [];
    await whileBlocked(async () => {
      pending = Array.from({ length: REQUESTS }, async (_, n) => {
        const answer = await ingest(stack, scanPayload({ serviceName: "overload", seed: `${n}` }));
        if (answer.status !== 201) refusedAfter.push(Date.now() - start);
        return answer;
      });
      // All but those that have a connection or wait for one.
      await expect.poll(() => refusedAfter.length).toBeGreaterThanOrEqual(REQUESTS - WAITING_MAX - 4);
      const health = await stack.http.get("/healthz");
      expect(health.status).toBe(200);
    });
    const answers = await Promise.all(pending);
    const accepted = answers.filter((answer) => answer.status === 201);
    for (const answer of answers) if (answer.status !== 201) expectRefusal(answer);
    for (const { body } of accepted) {
      expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed" });
    }
    const [stored] = await query<{ total: number }>(stack, "SELECT count(*)::int AS total FROM scan_runs");
    expect(stored?.total).toBe(accepted.length);
    expect((await ingest(stack, scanPayload({ serviceName: "after" }))).status).toBe(201);
    recordFigures("Overload: the database blocked", {
      connections: 4,
      "requests that may wait": WAITING_MAX,
      requests: REQUESTS,
      "refused with 503 and Retry-After": answers.length - accepted.length,
      "accepted once the database was free": accepted.length,
    });
  });

  it(
    "responds with 503 to a request that waited too long for a connection",
    { timeout: 180_000 },
    async () => {
      const answers = await whileBlocked(async () => {
        // One after the other, because concurrent ones would share a statement.
        const holders: Promise<HttpResponse<ScanIngestionResult>>[] = [];
        while (holders.length < 4) {
          holders.push(ingest(stack, scanPayload({ serviceName: "holds", seed: `holds ${holders.length}` })));
          await expect.poll(countBlocked).toBeGreaterThanOrEqual(holders.length);
        }
        const late = await ingest(stack, scanPayload({ serviceName: "late" }));
        return { holders, late };
      });
      expectRefusal(answers.late);
      for (const holder of await Promise.all(answers.holders)) expect(holder.status).toBe(201);
    },
  );

  it("responds with 503 to a request whose statement is cancelled, or whose connection is cut, and then serves on", async () => {
    for (const end of ["pg_cancel_backend", "pg_terminate_backend"]) {
      const answer = await whileBlocked(async () => {
        const pending = ingest(stack, scanPayload({ serviceName: "cut", seed: end }));
        await expect.poll(countBlocked).toBeGreaterThan(0);
        await blocker.query(`SELECT ${end}(pid) FROM pg_stat_activity WHERE ${BLOCKED}`);
        return pending;
      });
      expectRefusal(answer);
    }
    expect((await ingest(stack, scanPayload({ serviceName: "after the cut" }))).status).toBe(201);
    expect((await stack.http.get("/api/services")).status).toBe(200);
  });
});

describe("a worker whose connections are cut while it uses them", () => {
  it("stays alive and completes what it had begun", async () => {
    await blocker.query("BEGIN");
    // Blocks writes of rows, so that the worker is in the middle of its transaction.
    await blocker.query("LOCK TABLE chunk_endpoints IN EXCLUSIVE MODE");
    const { body } = await ingest(stack, scanPayload({ serviceName: "cut off", seed: "worker" }));
    await expect.poll(() => countWaiting("waymark-worker")).toBeGreaterThan(0);
    await blocker.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'waymark-worker'`,
    );
    await blocker.query("ROLLBACK");
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed" });
    expect(stack.worker.output()).not.toContain("uncaught error");
    // The log has the error of a broken connection, not the connection object with its secrets.
    expect(stack.worker.output()).not.toContain("secretKey");
  });
});

const BLOCKED =
  "datname = current_database() AND application_name = 'waymark-api' AND wait_event_type = 'Lock'";

async function countBlocked(): Promise<number> {
  return countWaiting("waymark-api");
}

async function countWaiting(applicationName: string): Promise<number> {
  const [row] = await query<{ total: number }>(
    stack,
    `SELECT count(*)::int AS total FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`,
    [applicationName],
  );
  return row?.total ?? 0;
}
