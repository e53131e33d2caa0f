import type { Client } from "pg";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { startBaseline } from "../support/baseline.ts";
import type { Environment } from "../support/environment.ts";
import { applyLoad, type Server } from "../support/load.ts";
import { MAX } from "../support/payloads.ts";
import { checkCounts, checkIngest, connectOwner, ingestServer, startProduct } from "../support/product.ts";
import { countBytesOnDisk } from "../support/product-state.ts";
import { encodeScan, type ScanBody } from "../support/requests.ts";
import type { Scenario } from "../support/scenario.ts";
import { boundServer } from "../support/service-keys.ts";
import { createServiceSet, type ServiceSet } from "../support/services.ts";
import { TARGETS } from "../support/targets.ts";

const SCANS = 1_000;
/** A row per item and run costs the same for each run, so a few runs are enough to compute the cost of many. */
const BASELINE_SCANS = 40;
/** With fewer rounds than these, a part of the scans is enough. */
const ROUNDS_WHOLE = 15;
const MEGABYTE = 1024 ** 2;

/** What the scans of one service take on disk, each of which changes a little. */
export const measureStorage: Scenario = async (environment, { rounds }) => {
  const scans = Math.ceil(SCANS * Math.min(1, rounds / ROUNDS_WHOLE));
  process.stderr.write(`  ${scans} scans of one service\n`);
  const stored = await storeInProduct(environment, scans);
  const perRun = (await storeInRows(environment)) / BASELINE_SCANS;
  const figure = (subject: string, bytes: number) => ({
    subject,
    measurement: `${scans} evolving max scans`,
    unit: "MB",
    values: [bytes / MEGABYTE],
  });
  return {
    scenario: "storage",
    figures: [
      figure("waymark", stored),
      figure(`a row per item and run (${BASELINE_SCANS} measured and scaled)`, perRun * scans),
    ],
    findings: [{ target: TARGETS.bytesOnDisk, values: [stored / (perRun * scans)] }],
  };
};

async function storeInProduct(environment: Environment, scans: number): Promise<number> {
  const product = await startProduct(environment, { name: "storage" });
  environment.own(await product.startWorker());
  const set = createServiceSet(MAX, 1);
  const server = await boundServer(product, set.names);
  const empty = await settledBytes(product.db, countBytesOnDisk);
  await send(server, firstOf(set), checkIngest);
  await product.drained();
  for (let n = 1; n < scans; n++) {
    // One after the other: each follows what the service had before.
    await send(server, encodeScan(set.next("evolving", { keeps: true }), "command"), checkIngest);
    await product.drained();
  }
  return (await settledBytes(product.db, countBytesOnDisk)) - empty;
}

async function storeInRows(environment: Environment): Promise<number> {
  const databaseUrl = await environment.createDatabase("storage_rows", "waymark");
  const { apiKey } = await createOrganization(databaseUrl);
  const { ready } = await startBaseline(environment, "baselines/synchronous-copy", {
    DATABASE_URL: databaseUrl,
  });
  const server = ingestServer({ port: ready, apiKey });
  const db = await connectOwner(environment, databaseUrl);
  const set = createServiceSet(MAX, 1);
  const empty = await settledBytes(db, countBaselineBytes);
  await send(server, firstOf(set), checkCounts());
  for (let n = 1; n < BASELINE_SCANS; n++) {
    await send(server, encodeScan(set.next("evolving", { keeps: true }), "command"), checkCounts());
  }
  return (await settledBytes(db, countBaselineBytes)) - empty;
}

function firstOf(set: ServiceSet): ScanBody {
  const [first] = set.first();
  if (first === undefined) throw new Error("there is no service");
  return encodeScan(first, "command");
}

async function send(server: Server, body: ScanBody, check: typeof checkIngest): Promise<void> {
  await applyLoad(server, { connections: 1, requests: 1, body: () => body, check });
}

async function settledBytes(db: Client, count: (db: Client) => Promise<number>): Promise<number> {
  await db.query("VACUUM");
  return count(db);
}

async function countBaselineBytes(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: string }>(
    "SELECT sum(pg_total_relation_size(oid)) AS total FROM pg_class WHERE relnamespace = 'baseline'::regnamespace AND relkind = 'r'",
  );
  return Number(rows[0]?.total);
}
