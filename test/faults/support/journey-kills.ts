import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JourneyTarget, startJourneyTarget } from "@waymark/test-support/journey-target.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import type { RunRow } from "../../journeys/cloud/support/journey-stack.ts";
import { killAtRandom } from "./fault-plan.ts";
import { recordFigures } from "./figures.ts";
import { sentTwice } from "./journey-requests.ts";
import { startJourneyStream, storeJourneys } from "./journey-stream.ts";
import { type KillableSystem, startKillableSystem } from "./killable-system.ts";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres.ts";
import { processesOf, signal } from "./processes-of.ts";

/** How long the system may take to end all runs after the last fault. */
const SETTLED_WITHIN_MS = scaled({ short: 180_000, long: 60_000 });
/** Unfinished runs of each organization at the same time. */
const UNFINISHED = scaled({ short: 2, long: 5 });
const EVENTS = 8;
/** Runs that end between two kills, at most. A run takes longer than a scan. */
const ENDED_BETWEEN_MAX = 2;

const RUN_PROCESS = "process of a run";

/** A suite: kills everything at random while journeys run. The short form kills one of each kind in `first`. */
export function testJourneyKills(variant: { queue: "redis" | "postgres"; first: readonly string[] }): void {
  describe(`everything killed at random while journeys run, queue: ${variant.queue}`, () => {
    const kills = scaled({ short: variant.first.length, long: 500 });
    const started = new AsyncDisposableStack();
    let postgres: OwnPostgres;
    let target: JourneyTarget;
    let system: KillableSystem;
    beforeAll(async () => {
      announceSeed();
      postgres = started.use(await startOwnPostgres());
      target = started.use(await startJourneyTarget({ delayMs: 20 }));
      const options = {
        ...variant,
        database: "journeys",
        appendOnly: variant.queue === "redis" ? false : null,
        env: {
          JOURNEY_KEYS: `k1:${randomBytes(32).toString("base64")}`,
          JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
          WORKER_JOURNEY_LEASE_MS: "5000",
          // Every process that is killed has to be started again.
          WORKER_JOURNEY_CONCURRENCY: String(UNFINISHED),
        },
      };
      system = started.use(await startKillableSystem(postgres, options));
    });
    afterAll(() => started.disposeAsync());

    it(
      `sends no step twice, ends every run, and names what may be left (${kills} kills)`,
      { timeout: 300_000 + kills * 20_000 },
      async () => {
        const { queue, first } = variant;
        const { victims, databaseUrl } = system;
        const random = createRandom(`kills of journeys ${queue}`);
        const environments = await storeJourneys(system, { url: target.url, events: EVENTS });
        const stream = startJourneyStream(system, { environments, unfinished: UNFINISHED });
        const killRunProcess = async () => {
          const worker = random.pick(victims.workers).pid();
          const processes = worker === undefined ? [] : await processesOf(worker);
          const victim = processes[random.integer(0, Math.max(0, processes.length - 1))];
          if (victim !== undefined) signal(victim, "SIGKILL");
          return victim === undefined ? 0 : 1;
        };
        const killed = await killAtRandom(victims, {
          random,
          first,
          kills,
          accepted: stream.ended,
          acceptedBetweenMax: ENDED_BETWEEN_MAX,
          more: { kind: RUN_PROCESS, kill: killRunProcess },
        });
        // Those that were killed may have had no run.
        const has = async (status: string) =>
          (
            await query({ databaseUrl }, "SELECT FROM journey_runs WHERE status = $1 LIMIT 1", [
              status,
            ]).catch(() => [])
          ).length > 0;
        while (!(await has("error"))) {
          killed[RUN_PROCESS] = (killed[RUN_PROCESS] ?? 0) + (await killRunProcess());
          await sleep(500);
        }
        await waitUntil("a run that passes", () => has("passed"), { withinMs: 180_000 });
        await stream.stop();
        const settledMs = await untilSettled(databaseUrl);

        const rows = await query<RunRow & { inputs: string }>({ databaseUrl }, "SELECT * FROM journey_runs");
        const runOf = (row: { inputs: string }) => (JSON.parse(row.inputs) as { run: string }).run;
        const unfinished = rows.filter(({ result_hash: hash }) => hash === null);
        const lost = rows.filter(({ status }) => status !== "passed");
        const named = new Set(
          lost
            .filter((row) => row.in_doubt_step === "create" || /may be left/.test(row.error_message ?? ""))
            .map(runOf),
        );
        recordFigures(`Journeys killed at random, queue: ${queue}`, {
          kills: Object.values(killed).reduce((sum, count) => sum + count, 0),
          ...Object.fromEntries(Object.entries(killed).map(([kind, count]) => [`killed: ${kind}`, count])),
          journeys: rows.length,
          "accepted and lost": [...stream.accepted().values()].filter(
            (id) => !rows.some((row) => row.id === id),
          ).length,
          passed: rows.length - lost.length,
          "torn down after their worker or process was lost": lost.length,
          "requests at the target": target.requests.length,
          "steps of a main phase sent twice": sentTwice(target.requests).length,
          "not final after 60 s": unfinished.length,
          "left at the target": target.left().length,
          "of these not named": target.left().filter((run) => !named.has(run)).length,
          "last run final after the faults (ms)": settledMs,
        });
        expect([...victims.apis, ...victims.workers].flatMap((service) => service.crashes())).toEqual([]);
        expect(stream.wrongAnswers()).toEqual([]);
        expect(unfinished).toEqual([]);
        expect(rows.map(({ id }) => id).toSorted()).toEqual([...stream.accepted().values()].toSorted());
        expect(sentTwice(target.requests)).toEqual([]);
        expect([...named]).toEqual(expect.arrayContaining(target.left()));
        for (const row of lost) expect(row).toMatchObject({ status: "error", error_code: "runner-lost" });
        expect(lost.length).toBeGreaterThan(0);
        expect(rows.length).toBeGreaterThan(lost.length);
      },
    );
  });
}

/** @returns after how many milliseconds no run was unfinished, or the limit */
async function untilSettled(databaseUrl: string): Promise<number> {
  const start = Date.now();
  while (Date.now() - start < SETTLED_WITHIN_MS) {
    const tickets = await query({ databaseUrl }, "SELECT FROM journey_run_tickets LIMIT 1").catch(
      () => undefined,
    );
    if (tickets?.length === 0) break;
    await sleep(200);
  }
  return Date.now() - start;
}
