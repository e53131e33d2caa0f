import type { Client } from "pg";
import type { Environment } from "../../support/environment.ts";
import { applyLoad } from "../../support/load.ts";
import { MAX } from "../../support/payloads.ts";
import { checkIngest, type Product, startProduct } from "../../support/product.ts";
import { countInsertedRows } from "../../support/product-state.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { encodeScans, type ScanBody } from "../../support/requests.ts";
import { ratios, runRounds, type Sample, valuesOf } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { type IngestServers, seedServices } from "../../support/seed.ts";
import { createServiceSet, type ServiceSet } from "../../support/services.ts";
import { TARGETS } from "../../support/targets.ts";

const CONNECTIONS = 8;
const REQUESTS = 100;
/** Two thirds of a turn are waiting for statistics, and the counts hardly differ from turn to turn. */
const ROUNDS_MAX = 5;

/**
 * What Postgres writes for a scan, from its request to its last row. All turns lie between two checkpoints, and the
 * first one, which does not count, takes the whole-page images of what is touched first after a checkpoint.
 */
export async function measureWritten(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const product = await startProduct(environment, { name: "written" });
  // Services of their own, or an evolving scan would follow a new one's content.
  const subjects = [];
  for (const kind of ["evolving", "new"] as const) {
    const firstMark = kind === "new" ? 1_000_000_000 : 0;
    const set = createServiceSet(MAX, REQUESTS, { prefix: `max-${kind}`, firstMark });
    const servers = await seedServices(product, set);
    subjects.push({ name: kind, measure: () => measureTurn(product, servers, { set, kind }) });
  }
  environment.own(await product.startWorker());
  process.stderr.write("  rows and log written:");
  // Nothing is left for autovacuum to freeze, which would write whole pages of older rows in the middle of a turn.
  await product.db.query("VACUUM (FREEZE, ANALYZE)");
  await product.db.query("CHECKPOINT");
  const checkpoint = await lastCheckpoint(product.db);
  const samples = await runRounds(subjects, Math.min(rounds, ROUNDS_MAX));
  if ((await lastCheckpoint(product.db)) !== checkpoint) {
    throw new Error("a checkpoint fell into the measurement of the write-ahead log: measure again");
  }
  const measurements = [
    ["rows", "rows"],
    ["logBytes", "bytes"],
    ["pageImages", "pages"],
  ] as const;
  return {
    figures: [...samples.keys()].flatMap((subject) =>
      measurements.map(([measurement, unit]) => ({
        subject: `max, ${subject}: written per scan`,
        measurement,
        unit,
        values: valuesOf(samples, subject, measurement),
      })),
    ),
    findings: [
      { target: TARGETS.rowsWritten, values: ratios(samples, "rows", "evolving", "new") },
      { target: TARGETS.logWritten, values: ratios(samples, "logBytes", "evolving", "new") },
    ],
  };
}

async function measureTurn(
  product: Product,
  { command }: IngestServers,
  { set, kind }: { set: ServiceSet; kind: "evolving" | "new" },
): Promise<Sample> {
  const bodies = encodeScans(REQUESTS, "command", () => set.next(kind, { keeps: true }));
  const before = await countWritten(product.db);
  await applyLoad(command, {
    connections: CONNECTIONS,
    requests: REQUESTS,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  await product.drained();
  const after = await countWritten(product.db);
  return {
    rows: (after.rows - before.rows) / REQUESTS,
    logBytes: (after.logBytes - before.logBytes) / REQUESTS,
    pageImages: (after.pageImages - before.pageImages) / REQUESTS,
  };
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
