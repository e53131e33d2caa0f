import path from "node:path";
import { runNode } from "@waymark/test-support/run-node.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { startBaseline } from "./baseline.ts";
import type { Environment } from "./environment.ts";
import { applyLoad } from "./load.ts";
import type { ScanSize } from "./payloads.ts";
import { MAX, TYPICAL } from "./payloads.ts";
import { checkIngest, connectOwner } from "./product.ts";
import { encodeScans, type ScanBody } from "./requests.ts";
import { runRounds, type Sample, type Samples } from "./rounds.ts";
import { type IngestServers, type Persisting, seedServices } from "./seed.ts";
import { createServiceSet, SCAN_KINDS, type ScanKind, type ServiceSet } from "./services.ts";
import { quantile } from "./statistics.ts";

/** A checkout of the project whose packages are installed. */
interface Side {
  name: string;
  folder: string;
}

interface StartedSide extends Persisting {
  name: string;
  stopWorker: () => Promise<void>;
  clearWaiting: () => Promise<void>;
}

/** The measurements of both sides: of the 201 without a worker, or of persisting with one. */
export interface Comparison {
  size: ScanSize;
  kind: ScanKind;
  what: "201" | "persisted";
  /** By the sides' names. */
  samples: Samples;
}

const CONNECTIONS = 8;
const SERVICES = { max: 200, typical: 1_200 };
const REQUESTS = {
  "201": { max: 60, typical: 360 },
  persisted: { max: 200, typical: 1_200 },
};
// The cases that change what the services have come last.
const CASES = [
  ...SCAN_KINDS.map((kind) => ({ what: "201", kind }) as const),
  { what: "persisted", kind: "evolving" },
  { what: "persisted", kind: "new" },
] as const;

/**
 * Measures two checkouts in turns on one Postgres with the same scans, as the command sends them. Each side runs its own
 * services, migrations and worker.
 */
export async function compareSides(
  environment: Environment,
  sides: readonly [Side, Side],
  rounds: number,
): Promise<Comparison[]> {
  const started: StartedSide[] = [];
  for (const side of sides) started.push(await startSide(environment, side));
  const comparisons: Comparison[] = [];
  for (const size of [MAX, TYPICAL]) {
    const seeded: SeededSide[] = [];
    for (const side of started) {
      // One for each, so that both get the same scans in the same order.
      const set = createServiceSet(size, size === MAX ? SERVICES.max : SERVICES.typical);
      seeded.push({ side, set, servers: await seedServices(side, set) });
    }
    for (const { what, kind } of CASES) {
      process.stderr.write(`  ${size.name}, ${kind}, ${what}:`);
      const measured = { size, kind, what };
      comparisons.push({ ...measured, samples: await measureCase(seeded, measured, rounds) });
    }
  }
  return comparisons;
}

interface SeededSide {
  side: StartedSide;
  set: ServiceSet;
  servers: IngestServers;
}

type MeasuredCase = Omit<Comparison, "samples">;

async function measureCase(
  seeded: readonly SeededSide[],
  measured: MeasuredCase,
  rounds: number,
): Promise<Samples> {
  const isPersisted = measured.what === "persisted";
  if (isPersisted) for (const { side } of seeded) await side.startWorker();
  try {
    return await runRounds(
      seeded.map((each) => ({
        name: each.side.name,
        measure: () => measureTurn(each, measured),
        // The waiting scans would only accumulate: no worker runs, and each service keeps its first scan.
        clear: async () => {
          if (!isPersisted) await each.side.clearWaiting();
        },
      })),
      rounds,
    );
  } finally {
    if (isPersisted) for (const { side } of seeded) await side.stopWorker();
  }
}

async function measureTurn({ side, set, servers }: SeededSide, measured: MeasuredCase): Promise<Sample> {
  const { size, kind, what } = measured;
  const isPersisted = what === "persisted";
  const requests = REQUESTS[what][size === MAX ? "max" : "typical"];
  const bodies = encodeScans(requests, "command", () => set.next(kind, { keeps: isPersisted }));
  const startedAt = performance.now();
  const { latenciesMs } = await applyLoad(servers.command, {
    connections: CONNECTIONS,
    requests,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  const latency = { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
  if (!isPersisted) return latency;
  await side.drained();
  return { ...latency, perSecond: (requests / (performance.now() - startedAt)) * 1000 };
}

/** Migrated and started by the checkout's own code, which knows what its processes want. */
async function startSide(environment: Environment, { name, folder }: Side): Promise<StartedSide> {
  const databaseUrl = await environment.createDatabase(name, "empty");
  await runNode([path.join(folder, "services/api/src/migrate.ts")], {
    DATABASE_URL: databaseUrl,
    SERVICE_DATABASE_URL: serviceUrl(databaseUrl),
  });
  const { process: checkout } = await startBaseline(environment, "subjects/checkout.ts", {
    CHECKOUT: folder,
    DATABASE_URL: databaseUrl,
    REDIS_URL: await environment.startRedis(),
    LOG_FOLDER: environment.logFolder,
  });
  const stopWorker = () => checkout.call<void>("stopWorker");
  return {
    name,
    ...(await checkout.call<{ port: number; apiKey: string }>("address")),
    db: await connectOwner(environment, databaseUrl),
    drained: () => checkout.call("drained"),
    clearWaiting: () => checkout.call("clearWaiting"),
    async startWorker() {
      await checkout.call("startWorker");
      return { [Symbol.asyncDispose]: stopWorker };
    },
    stopWorker,
  };
}
