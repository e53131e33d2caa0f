import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import type { Client } from "pg";
import { applyLoad } from "../support/load.ts";
import { MAX, type ScanSize, TYPICAL } from "../support/payloads.ts";
import { cpuMsOfTree } from "../support/process-tree.ts";
import { checkIngest, type Product, startProduct } from "../support/product.ts";
import { countBytesOnDisk } from "../support/product-state.ts";
import { encodeScans, type ScanBody } from "../support/requests.ts";
import { figuresOf, runRounds, type Sample, type Subject } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { type IngestServers, seedServices } from "../support/seed.ts";
import { createServiceSet, type ScanKind, type ServiceSet } from "../support/services.ts";

const CONNECTIONS = 8;
const SIZES = [
  { size: TYPICAL, requests: 800 },
  { size: MAX, requests: 100 },
] as const;
// New scans come last: after them the services have nothing of before.
const KINDS: readonly ScanKind[] = ["repeated", "evolving", "new"];
const MEASUREMENTS = [
  ["api", "ms"],
  ["worker", "ms"],
  ["postgres", "ms"],
  ["redis", "ms"],
  ["log", "bytes"],
  ["disk", "bytes"],
] as const;

type Pids = Record<"api" | "worker" | "postgres" | "redis", number>;

/** Measures the cost of a scan until it is persisted: processor time by process, write-ahead log and disk. */
export const measureCost: Scenario = async (environment, { rounds }) => {
  const redisUrl = await environment.startRedis();
  // Its own Redis, whose process must be known.
  const product = await startProduct(environment, {
    name: "cost",
    queue: "postgres",
    env: { REDIS_URL: redisUrl },
  });
  const sets: { size: ScanSize; requests: number; set: ServiceSet; servers: IngestServers }[] = [];
  for (const { size, requests } of SIZES) {
    const set = createServiceSet(size, requests);
    sets.push({ size, requests, set, servers: await seedServices(product, set) });
  }
  const worker = environment.own(await product.startWorker());
  const pids: Pids = {
    api: product.api.pid,
    worker: worker.pid,
    postgres: await postgresPid(product.db),
    redis: await redisPid(redisUrl),
  };
  const subjects: Subject[] = sets.flatMap(({ size, requests, set, servers }) =>
    KINDS.map((kind) => ({
      name: `${size.name}, ${kind}`,
      measure: () => measureTurn(product, pids, { set, servers, kind, requests }),
    })),
  );
  process.stderr.write("  cost by process:");
  const samples = await runRounds(subjects, rounds);
  return {
    scenario: "cost",
    figures: figuresOf(samples, MEASUREMENTS),
    findings: [],
  };
};

interface Turn {
  set: ServiceSet;
  servers: IngestServers;
  kind: ScanKind;
  requests: number;
}

async function measureTurn(
  product: Product,
  pids: Pids,
  { set, servers, kind, requests }: Turn,
): Promise<Sample> {
  const bodies = encodeScans(requests, "command", () => set.next(kind, { keeps: true }));
  const before = await readSpent(product.db, pids);
  await applyLoad(servers.command, {
    connections: CONNECTIONS,
    requests,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  await product.drained();
  const after = await readSpent(product.db, pids);
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, (value - (before[name] ?? 0)) / requests]),
  );
}

async function readSpent(db: Client, pids: Pids): Promise<Sample> {
  const cpu = Object.entries(pids).map(([name, pid]) => [name, cpuMsOfTree(pid)] as const);
  const { rows } = await db.query<{ log: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS log",
  );
  return { ...Object.fromEntries(cpu), log: Number(rows[0]?.log), disk: await countBytesOnDisk(db) };
}

/** The process that started all others of this server. */
async function postgresPid(db: Client): Promise<number> {
  const { rows } = await db.query<{ file: string }>("SELECT pg_read_file('postmaster.pid') AS file");
  return Number(rows[0]?.file.split("\n")[0]);
}

/** @throws Error unless Redis is a process of this machine */
async function redisPid(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    const pid = Number(/process_id:(\d+)/.exec(await client.info("server"))?.[1]);
    if (!/redis|valkey/.test(readFileSync(`/proc/${pid}/comm`, "utf8"))) {
      throw new Error("What Redis costs can be measured where redis-server is on the PATH, without Docker.");
    }
    return pid;
  } finally {
    client.disconnect();
  }
}
