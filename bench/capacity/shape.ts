import type { Cost, Process } from "./cost.ts";
import { DISK_MB_PER_SECOND_INCLUDED, HOURS_PER_MONTH, PRICES } from "./prices.ts";
import { simulateArrivals, STEP_S, WORKLOAD } from "./workload.ts";

/** No more of a processor is counted on. */
export const BUSY_SHARE = 0.7;
/** The longest that a scan may wait for its rows on the busiest day. */
export const WAIT_S_MAX = 30;
const POSTGRES_PROCESSORS = [2, 4, 8, 16] as const;
/** One server's limits: beyond 16 processors nothing is extrapolated, and a larger disk takes days to restore. */
export const DISK_BYTES_MAX = 4e12;
export const LOG_BYTES_PER_SECOND_MAX = 250e6;

export interface Shape {
  organizations: number;
  scansPerDay: number;
  /** Scans per second: in the whole day, and in the busiest 10 s of all servers together. */
  average: number;
  peak: number;
  /** Servers of Postgres, each with its organizations, apis, workers and Redis. */
  shards: number;
  /** Scans per second of the busiest server in its busiest 10 s. */
  peakOfOne: number;
  postgresProcessors: number;
  apis: number;
  workers: number;
  redisProcessors: number;
  longestWaitS: number;
  logBytesPerSecond: number;
  diskBytes: number;
  dollarsPerMonth: { processors: number; disk: number };
}

/** The smallest shape that carries a simulated day: as few servers of Postgres as possible, and as small ones. */
export function findShape(organizations: number, cost: Cost): Shape {
  for (let shards = 1; shards <= organizations; shards++) {
    for (const processors of POSTGRES_PROCESSORS) {
      const shape = simulate(organizations, cost, { shards, processors });
      if (shape !== undefined) return shape;
    }
  }
  throw new Error(`${organizations} organizations do not fit, even on a server each`);
}

interface Trial {
  shards: number;
  processors: number;
}

function simulate(organizations: number, cost: Cost, { shards, processors }: Trial): Shape | undefined {
  const counts = Array.from({ length: shards }, (_, n) => Math.floor((organizations + n) / shards));
  const scansPerDay = organizations * WORKLOAD.services * WORKLOAD.scansPerServiceAndDay;
  const diskPerOrganization = (scansPerDay / organizations) * WORKLOAD.retentionDays * cost.disk;
  if (Math.max(...counts) * diskPerOrganization > DISK_BYTES_MAX) return undefined;
  const arrivals = counts.map((count, shard) => simulateArrivals(count, shard + 1));
  const busiest = arrivals.map((steps) => Math.max(...steps) / STEP_S);
  const logBytesPerSecond = Math.max(...busiest) * cost.log;
  const longestWaitS = Math.max(
    ...arrivals.map((steps) => longestWait(steps, { workMs: cost.postgres, processors })),
  );
  if (longestWaitS > WAIT_S_MAX || logBytesPerSecond > LOG_BYTES_PER_SECOND_MAX) return undefined;
  const needed = (process: Process, leastPerShard: number) =>
    busiest.reduce(
      (sum, perSecond) =>
        sum + Math.max(leastPerShard, Math.ceil((perSecond * cost[process]) / 1_000 / BUSY_SHARE)),
      0,
    );
  // One processor is all that a Redis uses; its replica has another.
  if (Math.max(...busiest) * cost.redis > BUSY_SHARE * 1_000) return undefined;
  const shape = {
    organizations,
    scansPerDay,
    average: scansPerDay / 86_400,
    peak: Math.max(...total(arrivals)) / STEP_S,
    shards,
    peakOfOne: Math.max(...busiest),
    postgresProcessors: processors,
    apis: needed("api", 2),
    workers: needed("worker", 2),
    redisProcessors: 2 * shards,
    longestWaitS,
    logBytesPerSecond,
    diskBytes: organizations * diskPerOrganization,
  };
  return { ...shape, dollarsPerMonth: priceOf(shape) };
}

/** How long the last scan of a queue waits that one server works off, in the worst step of the day. */
export function longestWait(
  arrivals: Float64Array,
  { workMs, processors }: { workMs: number; processors: number },
): number {
  const perStepMs = processors * BUSY_SHARE * STEP_S * 1_000;
  let leftMs = 0;
  let longestMs = 0;
  for (const count of arrivals) {
    leftMs = Math.max(0, leftMs + count * workMs - perStepMs);
    longestMs = Math.max(longestMs, leftMs);
  }
  return longestMs / (processors * BUSY_SHARE * 1_000);
}

function total(arrivals: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array(), ...rest] = arrivals;
  return first.map((count, step) => rest.reduce((sum, steps) => sum + (steps[step] ?? 0), count));
}

/** Postgres twice: its replica has the same processors and the same disk. */
function priceOf(shape: Omit<Shape, "dollarsPerMonth">): Shape["dollarsPerMonth"] {
  const processors =
    shape.apis + shape.workers + shape.redisProcessors + 2 * shape.shards * shape.postgresProcessors;
  const beyondMb = Math.max(0, shape.logBytesPerSecond / 1e6 - DISK_MB_PER_SECOND_INCLUDED);
  return {
    processors: processors * PRICES.processorHour * HOURS_PER_MONTH,
    disk:
      2 * ((shape.diskBytes / 1e9) * PRICES.diskGigabyteMonth) +
      2 * shape.shards * beyondMb * PRICES.diskMegabytePerSecondMonth,
  };
}
