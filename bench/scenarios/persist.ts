import type { Client } from "pg";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { startBaseline } from "../support/baseline.ts";
import type { Environment } from "../support/environment.ts";
import { applyLoad, type Server } from "../support/load.ts";
import { MAX, type ScanSize, TYPICAL } from "../support/payloads.ts";
import { checkCounts, checkIngest, ingestServer, type Product, startProduct } from "../support/product.ts";
import { countInsertedRows } from "../support/product-state.ts";
import type { Figure, Finding, ScenarioResult } from "../support/report.ts";
import { encodeScans, type Manner, type ScanBody } from "../support/requests.ts";
import { figuresOf, ratios, runRounds, type Sample, type Subject } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { type IngestServers, seedServices } from "../support/seed.ts";
import { createServiceSet, type ScanKind, type ServiceSet } from "../support/services.ts";
import { quantile } from "../support/statistics.ts";
import { TARGETS, type Target } from "../support/targets.ts";

type Part = Omit<ScenarioResult, "scenario">;

const CONNECTIONS = 8;
const COPY = "synchronous-copy";
const THROUGHPUT = [
  ["perSecond", "1/s", "persisted"],
  ["p50", "ms", "201, p50"],
  ["seconds", "s", "a turn"],
] as const;
const WRITTEN = [
  ["rows", "rows"],
  ["logBytes", "bytes", "log"],
  ["pageImages", "pages", "page images"],
] as const;
const WRITTEN_REQUESTS = 100;
/** Two thirds of a turn are waiting for statistics, and the counts hardly differ from turn to turn. */
const WRITTEN_ROUNDS_MAX = 5;

interface Case {
  size: ScanSize;
  kind: ScanKind;
  /** Requests of a turn: some seconds of work, so that a burst's start and end are a small part of it. */
  requests: number;
  target: Target;
}

// New scans come last, because they replace everything that the services had before.
const CASES: readonly Case[] = [
  { size: MAX, kind: "evolving", requests: 400, target: TARGETS.persistedMaxEvolving },
  { size: MAX, kind: "new", requests: 256, target: TARGETS.persistedMaxNew },
  { size: TYPICAL, kind: "evolving", requests: 2_400, target: TARGETS.persistedTypicalEvolving },
  { size: TYPICAL, kind: "new", requests: 2_400, target: TARGETS.persistedTypicalNew },
];

/** How fast accepted scans become rows, and what Postgres writes for it. */
export const measurePersist: Scenario = async (environment, { rounds }) => {
  const parts = [await measureThroughput(environment, rounds), await measureWritten(environment, rounds)];
  return {
    scenario: "persist",
    figures: parts.flatMap(({ figures }) => figures),
    findings: parts.flatMap(({ findings }) => findings),
  };
};

/** Scans fully persisted per second, with api, worker and database on the same processors. */
async function measureThroughput(environment: Environment, rounds: number): Promise<Part> {
  const product = await startProduct(environment, { name: "persist" });
  const sets = new Map<ScanSize, { set: ServiceSet; servers: IngestServers }>();
  for (const size of [MAX, TYPICAL]) {
    // As many services as requests in a turn: what a service had before is persisted when its next scan comes.
    const requests = CASES.filter((each) => each.size === size).map((each) => each.requests);
    const set = createServiceSet(size, Math.max(...requests));
    sets.set(size, { set, servers: await seedServices(product, set) });
  }
  environment.own(await product.startWorker());
  const copy = await startSynchronousServer(environment);

  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const each of CASES) {
    const seeded = sets.get(each.size);
    if (seeded === undefined) throw new Error("the size was not seeded");
    process.stderr.write(`  ${each.size.name}, ${each.kind}:`);
    const samples = await runRounds(subjectsOf({ ...each, ...seeded, product, copy }), rounds);
    figures.push(
      ...figuresOf(samples, THROUGHPUT, (subject) => `${each.size.name}, ${each.kind}: ${subject}`),
    );
    findings.push(
      ...(["command", "plain"] as const).map((manner) => ({
        target: each.target,
        ...(manner === "plain" && { note: "the plain request", isShown: true }),
        values: ratios(samples, "perSecond", `waymark, ${manner}`, COPY),
      })),
    );
  }
  return { figures, findings };
}

async function startSynchronousServer(environment: Environment): Promise<Server> {
  const databaseUrl = await environment.createDatabase("synchronous", "waymark");
  const { apiKey } = await createOrganization(databaseUrl);
  const { ready } = await startBaseline(environment, `baselines/${COPY}.ts`, { DATABASE_URL: databaseUrl });
  return ingestServer({ port: ready, apiKey });
}

interface Turns extends Case {
  product: Product;
  set: ServiceSet;
  servers: IngestServers;
  copy: Server;
}

function subjectsOf({ product, servers, copy, set, kind, requests }: Turns): Subject[] {
  const bodiesOf = (manner: Manner, keeps: boolean) =>
    encodeScans(requests, manner, () => set.next(kind, { keeps }));
  const waymark = (["command", "plain"] as const).map((manner) => ({
    name: `waymark, ${manner}`,
    measure: () => measureTurn(servers[manner], bodiesOf(manner, true), checkIngest, () => product.drained()),
  }));
  const synchronous = {
    name: COPY,
    measure: () => measureTurn(copy, bodiesOf("command", false), checkCounts("completed")),
  };
  return [...waymark, synchronous];
}

/** From the first request until the last scan is persisted. */
async function measureTurn(
  server: Server,
  bodies: readonly ScanBody[],
  check: typeof checkIngest,
  persisted?: () => Promise<void>,
): Promise<Sample> {
  const startedAt = performance.now();
  const { latenciesMs } = await applyLoad(server, {
    connections: CONNECTIONS,
    requests: bodies.length,
    body: (n) => bodies[n] as ScanBody,
    check,
  });
  await persisted?.();
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: bodies.length / seconds, p50: quantile(latenciesMs, 0.5), seconds };
}

/**
 * Rows and log that Postgres writes for a scan, from its request to its last row. All turns lie between two checkpoints, and the
 * first one, which does not count, takes the whole-page images of what is touched first after a checkpoint.
 */
async function measureWritten(environment: Environment, rounds: number): Promise<Part> {
  const product = await startProduct(environment, { name: "written" });
  // Services of their own, or an evolving scan would follow a new one's content.
  const subjects: Subject[] = [];
  for (const kind of ["evolving", "new"] as const) {
    const firstMark = kind === "new" ? 1_000_000_000 : 0;
    const set = createServiceSet(MAX, WRITTEN_REQUESTS, { prefix: `max-${kind}`, firstMark });
    const { command } = await seedServices(product, set);
    subjects.push({ name: kind, measure: () => measureWrittenTurn(product, command, { set, kind }) });
  }
  environment.own(await product.startWorker());
  process.stderr.write("  rows and log written:");
  // Nothing is left for autovacuum to freeze, which would write whole pages of older rows in the middle of a turn.
  await product.db.query("VACUUM (FREEZE, ANALYZE)");
  await product.db.query("CHECKPOINT");
  const checkpoint = await lastCheckpoint(product.db);
  const samples = await runRounds(subjects, Math.min(rounds, WRITTEN_ROUNDS_MAX));
  if ((await lastCheckpoint(product.db)) !== checkpoint) {
    throw new Error("a checkpoint fell into the measurement of the write-ahead log: measure again");
  }
  return {
    figures: figuresOf(samples, WRITTEN, (kind) => `max, ${kind}: written per scan`),
    findings: [
      { target: TARGETS.rowsWritten, values: ratios(samples, "rows", "evolving", "new") },
      { target: TARGETS.logWritten, values: ratios(samples, "logBytes", "evolving", "new") },
    ],
  };
}

async function measureWrittenTurn(
  product: Product,
  server: Server,
  { set, kind }: { set: ServiceSet; kind: ScanKind },
): Promise<Sample> {
  const bodies = encodeScans(WRITTEN_REQUESTS, "command", () => set.next(kind, { keeps: true }));
  const before = await countWritten(product.db);
  await measureTurn(server, bodies, checkIngest, () => product.drained());
  const after = await countWritten(product.db);
  return Object.fromEntries(WRITTEN.map(([name]) => [name, (after[name] - before[name]) / WRITTEN_REQUESTS]));
}

async function countWritten(db: Client) {
  // First, because it waits until every process has reported.
  const rows = await countInsertedRows(db);
  const { rows: written } = await db.query<{ logBytes: string; pageImages: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS "logBytes", wal_fpi AS "pageImages" FROM pg_stat_wal`,
  );
  return { rows, logBytes: Number(written[0]?.logBytes), pageImages: Number(written[0]?.pageImages) };
}

async function lastCheckpoint(db: Client): Promise<string | undefined> {
  const { rows } = await db.query<{ lsn: string }>(
    "SELECT checkpoint_lsn::text AS lsn FROM pg_control_checkpoint()",
  );
  return rows[0]?.lsn;
}
