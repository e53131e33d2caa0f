import { setTimeout as sleep } from "node:timers/promises";
import { createPgPool } from "@waymark/shared/db/pool.ts";
import { claimRuns } from "@waymark/shared/scans/persist/queries.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";

const POISON = "poison";
const INNOCENT = 12;
const workerEnv = { WORKER_LEASE_MS: "500", WORKER_RECONCILE_MS: "200" };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv });
});
beforeEach(async () => {
  await stack.worker.stop();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function submit(seed: string, serviceName = "candidates"): Promise<string> {
  const { status, body } = await ingest(stack, scanPayload({ seed, serviceName }));
  expect(status).toBe(201);
  return body.scanRunId;
}

async function payloadOf(scanRunId: string): Promise<{ attempts: number; excused: number } | undefined> {
  const [row] = await query<{ attempts: number; excused: number }>(
    stack,
    `SELECT attempts, attempts_excused AS excused FROM scan_payloads
     WHERE scan_run_id = $1 AND available_at IS NOT NULL`,
    [scanRunId],
  );
  return row;
}

/** What happens when the run of the service named "poison" is completed. */
async function poisonWith(statement: string): Promise<void> {
  await query(
    stack,
    `CREATE OR REPLACE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF (SELECT s.name FROM services s WHERE s.id = NEW.service_id) = '${POISON}' THEN ${statement}; END IF;
       RETURN NEW;
     END $$`,
  );
  await query(
    stack,
    `CREATE OR REPLACE TRIGGER poison BEFORE UPDATE ON scan_runs FOR EACH ROW
     WHEN (NEW.status = 'completed') EXECUTE FUNCTION poison()`,
  );
}

describe("runs that were claimed twice and not finished", () => {
  it("are claimed alone, and those beside them together", async () => {
    const LEASE_MS = 1;
    const pool = createPgPool(stack.databaseUrl, {
      max: 1,
      applicationName: "test",
      onError: () => undefined,
    });
    // As a worker does that ends each time before it has written anything. Leases of poison-pill candidates are up to twice as long.
    const claim = async () => {
      await sleep(2 * LEASE_MS + 5);
      const claimed = await claimRuns(pool, {
        afterOrganizationId: "00000000-0000-0000-0000-000000000000",
        runsMax: 50,
        bytesMax: 1e6,
        leaseMs: LEASE_MS,
      });
      return claimed.map((run) => run.scanRunId).toSorted();
    };

    const old = [await submit("a"), await submit("b"), await submit("c")].toSorted();
    expect(await claim()).toEqual(old);
    expect(await claim()).toEqual(old);
    const singles = [await claim(), await claim(), await claim()];
    expect(singles.map((single) => single.length)).toEqual([1, 1, 1]);

    const fresh = [await submit("d"), await submit("e")].toSorted();
    const rounds: string[][] = [];
    do rounds.push(await claim());
    while (rounds.at(-1)?.length === 1 && rounds.length < 10);
    expect(rounds.at(-1)).toEqual(fresh);
    await pool.end();

    stack.worker = await startWorker({ ...stack, env: workerEnv });
    for (const scanRunId of [...old, ...fresh]) {
      expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed" });
    }
  });
});

describe("a run that ends its worker each time", () => {
  it("drags no other run along, and ends as failed itself", { timeout: 300_000 }, async () => {
    await poisonWith("PERFORM pg_sleep(600)");
    const innocent: string[] = [];
    for (let n = 0; n < INNOCENT / 2; n++) innocent.push(await submit(`before ${n}`));
    const poison = await submit("poison", POISON);
    for (let n = 0; n < INNOCENT / 2; n++) innocent.push(await submit(`after ${n}`));

    const killAtPoison = async () => {
      const before = (await payloadOf(poison))?.attempts ?? 0;
      stack.worker = await startWorker({ ...stack, env: workerEnv });
      for (;;) {
        const payload = await payloadOf(poison);
        if (payload === undefined || payload.attempts > before) break;
        await sleep(5);
      }
      await stack.worker.stop("SIGKILL");
      // A backend does not see that its worker is gone as long as it works.
      await query(
        stack,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'waymark-worker'`,
      );
    };
    await killAtPoison();
    // From here on as if it had gone on like this, with all of them together as far as they may be.
    await query(stack, "UPDATE scan_payloads SET attempts = 2 WHERE attempts = 1");
    let kills = 1;
    for (; (await payloadOf(poison)) !== undefined && kills < 12; kills++) await killAtPoison();

    stack.worker = await startWorker({ ...stack, env: workerEnv });
    expect(await waitForRun(stack, poison)).toMatchObject({
      status: "failed",
      error: { code: "attempts_exhausted" },
    });
    for (const scanRunId of innocent) {
      expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed" });
    }
    recordFigures("A run that ends its worker", {
      "workers killed": kills,
      "other runs": INNOCENT,
      "of those completed": INNOCENT,
      "of those failed": 0,
    });
  });
});

describe("a database that takes no rows for long", () => {
  it("fails no run, however often it was tried", async () => {
    await poisonWith("RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'");
    const scanRunId = await submit("full", POISON);
    // As after an hour of this.
    await query(
      stack,
      "UPDATE scan_payloads SET attempts = 240, attempts_excused = 240 WHERE scan_run_id = $1",
      [scanRunId],
    );
    stack.worker = await startWorker({ ...stack, env: workerEnv });
    while ((await payloadOf(scanRunId))?.excused !== 241) await sleep(20);

    await query(stack, "DROP TRIGGER poison ON scan_runs");
    await query(stack, "UPDATE scan_payloads SET available_at = now() WHERE scan_run_id = $1", [scanRunId]);
    expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed" });
  });
});
