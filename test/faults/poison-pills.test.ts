import { setTimeout as sleep } from "node:timers/promises";
import { createPgPool } from "@waymark/server/db/pool.ts";
import { claimRuns } from "@waymark/server/scans/persist/queries.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { type ProcessStack, startProcessStack, startWorkerProcess } from "@waymark/test-support/stack.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { recordFigures } from "./support/figures.ts";

const POISON = "poison";
const INNOCENT = 12;
/** Attempts that are counted without a kill. */
const SPARED_KILLS = scaled({ short: 3, long: 0 });
/** Longer than a busy machine stops a worker: a lease that is lost counts as an attempt. */
const LEASE_MS = 10_000;
const workerEnv = { WORKER_LEASE_MS: String(LEASE_MS), WORKER_RECONCILE_MS: "200" };

let stack: ProcessStack;
beforeAll(async () => {
  stack = await startProcessStack({ workerEnv });
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

/** Makes the completion of a run of the service "poison" execute a statement. */
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
  it("are claimed individually, and the others together", async () => {
    const SHORT_LEASE_MS = 1;
    const pool = createPgPool(stack.databaseUrl, {
      max: 1,
      applicationName: "test",
      onError: () => undefined,
    });
    // Like a worker that ends each time before it writes anything. Leases of poison-pill candidates are up to twice as long.
    const claim = async () => {
      await sleep(2 * SHORT_LEASE_MS + 5);
      const claimed = await claimRuns(pool, {
        afterOrganizationId: "00000000-0000-0000-0000-000000000000",
        runsMax: 50,
        bytesMax: 1e6,
        leaseMs: SHORT_LEASE_MS,
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

    stack.worker = await startWorkerProcess({ ...stack, env: workerEnv });
    for (const scanRunId of [...old, ...fresh]) {
      expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed" });
    }
  });
});

describe("a run that ends its worker each time", () => {
  it("affects no other run, and ends as failed", { timeout: 300_000 }, async () => {
    await poisonWith("PERFORM pg_sleep(600)");
    const innocent: string[] = [];
    for (let n = 0; n < INNOCENT / 2; n++) innocent.push(await submit(`before ${n}`));
    const poison = await submit("poison", POISON);
    for (let n = 0; n < INNOCENT / 2; n++) innocent.push(await submit(`after ${n}`));

    const killAtPoison = async () => {
      const before = (await payloadOf(poison))?.attempts ?? 0;
      stack.worker = await startWorkerProcess({ ...stack, env: workerEnv });
      const isClaimed = async () => {
        const payload = await payloadOf(poison);
        return payload === undefined || payload.attempts > before;
      };
      await waitUntil("the poison is claimed", isClaimed, { everyMs: 5 });
      await stack.worker.stop("SIGKILL");
      // A backend doesn't notice the end of its worker while it works.
      await query(
        stack,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'waymark-worker'`,
      );
      // Its leases end, in the same order. Those of poison-pill candidates are up to twice as long.
      await query(
        stack,
        "UPDATE scan_payloads SET available_at = available_at - make_interval(secs => $1) WHERE available_at > now()",
        [(2 * LEASE_MS) / 1_000],
      );
    };
    await killAtPoison();
    // From here on as if this had continued, with all of them together where possible.
    await query(stack, "UPDATE scan_payloads SET attempts = 2 WHERE attempts = 1");
    const spare = "UPDATE scan_payloads SET attempts = attempts + $1 WHERE scan_run_id = $2";
    let kills = 1;
    for (; (await payloadOf(poison)) !== undefined && kills < 12; kills++) {
      if (kills === 3) await query(stack, spare, [SPARED_KILLS, poison]);
      await killAtPoison();
    }

    stack.worker = await startWorkerProcess({ ...stack, env: workerEnv });
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
  it("fails no run, regardless of the number of attempts", async () => {
    await poisonWith("RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'");
    const scanRunId = await submit("full", POISON);
    // As after an hour.
    await query(
      stack,
      "UPDATE scan_payloads SET attempts = 240, attempts_excused = 240 WHERE scan_run_id = $1",
      [scanRunId],
    );
    stack.worker = await startWorkerProcess({ ...stack, env: workerEnv });
    await expect.poll(async () => (await payloadOf(scanRunId))?.excused).toBe(241);

    await query(stack, "DROP TRIGGER poison ON scan_runs");
    await query(stack, "UPDATE scan_payloads SET available_at = now() WHERE scan_run_id = $1", [scanRunId]);
    expect(await waitForRun(stack, scanRunId)).toMatchObject({ status: "completed" });
  });
});
