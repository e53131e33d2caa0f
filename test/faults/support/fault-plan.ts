import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { OwnPostgres } from "./own-postgres.ts";
import type { OwnRedis } from "./own-redis.ts";
import type { Random } from "@waymark/test-support/scale.ts";
import type { Supervised } from "./supervised.ts";

export interface Victims {
  apis: readonly [Supervised, ...Supervised[]];
  workers: readonly [Supervised, ...Supervised[]];
  postgres: OwnPostgres;
  redis: OwnRedis | null;
}

const KINDS = ["api", "api", "worker", "worker", "worker", "redis", "postgres", "backend", "both"] as const;
type Kind = (typeof KINDS)[number];

/** How long a server is down: mostly briefly, sometimes longer than a pool waits. */
const AWAY_MS = { min: 0, max: 1_500 };
const BETWEEN_MS = { min: 50, max: 900 };
/** Three of four kills wait until up to this many scans have succeeded since the last one, so that slow machines make progress. */
const ACCEPTED_BETWEEN_MAX = 6;
const WAIT_MS_MAX = 20_000;

/**
 * Kills running processes one after the other, with SIGKILL: one of each kind in `first`, then any. Killed ones restart while others
 * are killed. Each tenth time the queue is emptied too.
 *
 * @returns the number of kills of each kind
 */
export async function killAtRandom(
  victims: Victims,
  {
    random,
    first,
    kills,
    accepted,
    acceptedBetweenMax = ACCEPTED_BETWEEN_MAX,
    more,
  }: {
    random: Random;
    first: readonly string[];
    kills: number;
    accepted: () => number;
    acceptedBetweenMax?: number;
    /** Another kind of victim, every third time where any may be killed. `kill` gives how many it killed. */
    more?: { kind: string; kill: () => Promise<number> };
  },
): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  const returning = new Set<Promise<void>>();
  let total = 0;

  const comesBack = (server: { start(): Promise<void> }) => {
    const back = sleep(random.integer(AWAY_MS.min, AWAY_MS.max))
      .then(() => server.start())
      .finally(() => returning.delete(back));
    returning.add(back);
  };
  const planned = [...first];
  const nextKind = () => {
    if (planned.length > 0) return planned.splice(random.integer(0, planned.length - 1), 1)[0] ?? "";
    return more !== undefined && random.next() < 1 / 3 ? more.kind : random.pick(KINDS);
  };
  while (total < kills) {
    const isPlanned = planned.length > 0;
    const name = nextKind();
    const killed = await (name === more?.kind
      ? more.kill()
      : killOne(victims, name as Kind, random, comesBack));
    if (killed === 0 && isPlanned) planned.push(name);
    if (killed > 0) done[name] = (done[name] ?? 0) + killed;
    total += killed;
    if (victims.redis?.isRunning() === true && random.next() < 0.1) await flush(victims.redis);
    await sleep(random.integer(BETWEEN_MS.min, BETWEEN_MS.max));
    const enough = accepted() + (random.next() < 0.25 ? 0 : random.integer(1, acceptedBetweenMax));
    const deadline = Date.now() + (killed > 0 ? WAIT_MS_MAX : 0);
    while (accepted() < enough && Date.now() < deadline) await sleep(10);
  }
  await Promise.all(returning);
  return done;
}

/** @returns the number of killed processes: 0 if it is not running */
async function killOne(
  { apis, workers, postgres, redis }: Victims,
  kind: Kind,
  random: Random,
  comesBack: (server: { start(): Promise<void> }) => void,
): Promise<number> {
  if (kind === "redis") {
    if (redis?.isRunning() !== true) return 0;
    await redis.kill();
    comesBack(redis);
    return 1;
  }
  if (kind === "postgres") {
    if (!postgres.isRunning()) return 0;
    await postgres.kill();
    comesBack(postgres);
    return 1;
  }
  if (kind === "backend") {
    // The server may still be recovering, so there is nothing to kill.
    return postgres.isRunning() ? postgres.killBackend(random.integer(0, 1_000)).catch(() => 0) : 0;
  }
  const targets = {
    api: [random.pick(apis)],
    worker: [random.pick(workers)],
    both: [random.pick(apis), random.pick(workers)],
  }[kind].filter((target) => target.isUp());
  await Promise.all(targets.map((target) => target.kill()));
  return targets.length;
}

async function flush({ url }: OwnRedis): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.flushall();
  } catch {
    // It was killed meanwhile, so there is nothing to empty.
  } finally {
    client.disconnect();
  }
}
