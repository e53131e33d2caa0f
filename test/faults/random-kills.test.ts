import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCollections } from "./support/collections.ts";
import { killAtRandom } from "./support/fault-plan.ts";
import { recordFigures } from "./support/figures.ts";
import { type KillableSystem, startKillableSystem } from "./support/killable-system.ts";
import { type OwnPostgres, startOwnPostgres } from "./support/own-postgres.ts";
import { countUnfinished, type Reckoning, reckon } from "./support/recount.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { type SentScan, startScanStream } from "./support/scan-stream.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

/** How long the system may take to recover after the last fault. */
const SETTLED_WITHIN_MS = scaled({ short: 180_000, long: 60_000 });
const KILLS_PER_ROUND = 50;
const CLIENTS = scaled({ short: 3, long: 6 });

let postgres: OwnPostgres;
beforeAll(async () => {
  announceSeed();
  postgres = await startOwnPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

// The short form kills one of each kind in `first`.
const VARIANTS = [
  {
    queue: "redis without a file",
    database: "plain",
    appendOnly: false,
    first: ["redis", "worker"],
    long: 334,
  },
  {
    queue: "redis with an append-only file",
    database: "aof",
    appendOnly: true,
    first: ["redis", "api"],
    long: 333,
  },
  {
    queue: "postgres",
    database: "queue",
    appendOnly: null,
    first: ["worker", "postgres", "api", "backend"],
    long: 333,
  },
];

describe.each(VARIANTS)(
  "api, worker and servers killed at random during a stream of scans, queue: $queue",
  (variant) => {
    const kills = scaled({ short: variant.first.length, long: variant.long });
    let system: KillableSystem;
    beforeAll(async () => {
      system = await startKillableSystem(postgres, variant);
    });
    afterAll(() => system[Symbol.asyncDispose]());

    it(
      `loses, doubles and falsifies nothing (${kills} kills)`,
      { timeout: 300_000 + kills * 20_000 },
      async () => {
        const { result, wrongAnswers, crashes, unanswered, collected, collectionErrors } =
          await killDuringStream(system, {
            ...variant,
            kills,
          });
        expect(crashes).toEqual([]);
        expect(wrongAnswers).toEqual([]);
        expect(collectionErrors).toEqual([]);
        expect(result).toMatchObject({
          acceptedAndLost: 0,
          duplicates: 0,
          notFinal: 0,
          falseCompleted: 0,
          failed: 0,
          wrongCurrent: 0,
        });
        expect(unanswered).toBe(0);
        expect(result.accepted).toBeGreaterThan(kills);
        expect(collected["chunks"]).toBeGreaterThan(kills / 2);
      },
    );
  },
);

/** Three of four scans may be deleted after their response. The others must exist at the end. */
const deletableOf = (sent: readonly SentScan[]) =>
  sent.flatMap(({ scanRunId }, index) => (scanRunId !== null && index % 4 !== 0 ? [scanRunId] : []));

/** In rounds: faults, then the time to recover, and a count of everything so far. */
async function killDuringStream(
  { victims, baseUrls, organizations, databaseUrl }: KillableSystem,
  { queue, first, kills }: { queue: string; first: readonly string[]; kills: number },
) {
  const random = createRandom(`kills ${queue}`);
  const sent: SentScan[] = [];
  const wrongAnswers: string[] = [];
  const totals = { killed: {}, answers: {}, kills: 0, rounds: 0, settledMs: 0 };
  let collected: Record<string, number> = {};
  const collectionErrors: string[] = [];
  const organizationIds = organizations.map(({ organizationId }) => organizationId);
  const deletable = new Set<string>();
  let result: Reckoning;
  do {
    const stream = startScanStream({ baseUrls, organizations, clients: CLIENTS, pauseMs: 200 });
    const collections = await startCollections(
      { databaseUrl, organizationIds },
      { deletable: () => deletableOf(stream.sent()) },
    );
    const killsOfRound = Math.min(KILLS_PER_ROUND, kills - totals.kills);
    const accepted = () => stream.statuses()["201"] ?? 0;
    const killed = await killAtRandom(victims, {
      random,
      first,
      kills: killsOfRound,
      accepted,
    });
    // On a busy machine the processes were hardly ever up.
    const isEnough = () => accepted() > 2 * killsOfRound && collections.chunks() > killsOfRound;
    await waitUntil("scans and collections after the kills", isEnough, { withinMs: 180_000 });
    const sentNow = await stream.stop();
    sent.push(...sentNow);
    for (const id of deletableOf(sentNow)) deletable.add(id);
    wrongAnswers.push(...stream.wrongAnswers());
    totals.settledMs = Math.max(totals.settledMs, await untilSettled(databaseUrl));
    const { errors, ...counts } = await collections.stop();
    collectionErrors.push(...errors);
    collected = added(collected, counts);
    totals.kills += Object.values(killed).reduce((sum, count) => sum + count, 0);
    totals.killed = added(totals.killed, killed);
    totals.answers = added(totals.answers, stream.statuses());
    totals.rounds++;
    result = await reckon({ databaseUrl }, sent, { deletable });
    recordFigures(`Random kills, queue: ${queue}`, {
      kills: totals.kills,
      ...prefixed("killed: ", totals.killed),
      rounds: totals.rounds,
      "scans sent": sent.length,
      ...prefixed("answers ", totals.answers),
      ...figuresOf(result),
      ...prefixed("deleted meanwhile: ", collected),
      "last run final after the faults (ms, most of a round)": totals.settledMs,
    });
  } while (totals.kills < kills && result.notFinal === 0);
  return {
    result,
    collected,
    collectionErrors,
    wrongAnswers,
    crashes: [...victims.apis, ...victims.workers].flatMap((service) => service.crashes()),
    /** Scans that were sent until the end of the stream, and never accepted. */
    unanswered: sent.filter((scan) => scan.retried && scan.scanRunId === null).length,
  };
}

function added(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

function figuresOf(result: Reckoning) {
  return {
    accepted: result.accepted,
    "accepted and lost": result.acceptedAndLost,
    "duplicate rows": result.duplicates,
    "not final after 60 s": result.notFinal,
    "false completed": result.falseCompleted,
    "ended as failed": result.failed,
    "services with a wrong current run": result.wrongCurrent,
    "runs recounted": result.completed,
    "contents read back and hashed": result.contentsHashed,
  };
}

function prefixed(prefix: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix}${name}`, count]));
}

/** @returns after how many milliseconds no run was unfinished, or the limit */
async function untilSettled(databaseUrl: string): Promise<number> {
  const start = Date.now();
  while (Date.now() - start < SETTLED_WITHIN_MS) {
    // The server may be recovering from the last fault.
    if ((await countUnfinished({ databaseUrl }).catch(() => undefined)) === 0) break;
    await sleep(200);
  }
  return Date.now() - start;
}
