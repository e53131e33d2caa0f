import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Client } from "pg";
import { ApiDescription } from "../support/api-description.ts";
import { cpuMsOfTree } from "../support/process-tree.ts";
import { type Product, startProduct } from "../support/product.ts";
import { countDescriptionBytes, countWaitingComparisons } from "../support/product-state.ts";
import { figuresOf, ratios, runRounds, type Sample } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { TARGETS } from "../support/targets.ts";

const OPERATIONS = 500;
const CHANGED = 5;
/** The descriptions of a turn: processor time is counted in steps of 10 ms. */
const PER_TURN = 5;
const MEASUREMENTS = [
  ["text", "bytes"],
  ["sent", "bytes"],
  ["stored", "bytes"],
  ["api", "ms"],
  ["worker", "ms"],
  ["postgres", "ms"],
] as const;

type Pids = Record<"api" | "worker" | "postgres", number>;

/** Measures the cost of the description behind a scan, without the scan: bytes sent, bytes stored, and processor time by process. */
export const measureDescriptions: Scenario = async (environment, { rounds }) => {
  const product = await startProduct(environment, { name: "descriptions" });
  const worker = environment.own(await product.startWorker());
  const { rows } = await product.db.query<{ file: string }>("SELECT pg_read_file('postmaster.pid') AS file");
  const pids: Pids = {
    api: product.api.pid,
    worker: worker.pid,
    postgres: Number(rows[0]?.file.split("\n")[0]),
  };
  let created = 0;
  const createdService = () => new ApiDescription(`service-${created++}`, OPERATIONS);
  const known = Array.from({ length: PER_TURN }, createdService);
  await measureTurn(product, pids, known);
  const kinds: Record<string, () => ApiDescription[]> = {
    new: () => known.map(createdService),
    evolving: () => {
      for (const description of known) description.change(CHANGED);
      return known;
    },
    repeated: () => known,
  };
  process.stderr.write("  descriptions:");
  const samples = await runRounds(
    Object.entries(kinds).map(([name, next]) => ({
      name,
      measure: () => measureTurn(product, pids, next()),
    })),
    rounds,
  );
  return {
    scenario: "descriptions",
    figures: figuresOf(samples, MEASUREMENTS),
    findings: [{ target: TARGETS.descriptionStored, values: ratios(samples, "stored", "evolving", "new") }],
  };
};

/** Scans services, then measures what their descriptions cost, each on average. */
async function measureTurn(
  product: Product,
  pids: Pids,
  descriptions: readonly ApiDescription[],
): Promise<Sample> {
  const runs: { scanRunId: string; text: string }[] = [];
  for (const description of descriptions) {
    const response = await send(product, "POST", "/api/scans/ingest", JSON.stringify(description.payload()));
    const { scanRunId } = (await response.json()) as { scanRunId: string };
    runs.push({ scanRunId, text: description.text() });
  }
  await product.drained();
  const before = await readSpent(product.db, pids);
  let sent = 0;
  for (const { scanRunId, text } of runs) sent += await describeRun(product, scanRunId, text);
  while ((await countWaitingComparisons(product.db)) > 0) await sleep(50);
  const after = await readSpent(product.db, pids);
  const total = { ...after, sent, text: runs.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) };
  return Object.fromEntries(
    Object.entries(total).map(([name, value]) => [name, (value - (before[name] ?? 0)) / runs.length]),
  );
}

async function readSpent(db: Client, pids: Pids): Promise<Sample> {
  const cpu = Object.entries(pids).map(([name, pid]) => [name, cpuMsOfTree(pid)] as const);
  return { ...Object.fromEntries(cpu), stored: await countDescriptionBytes(db) };
}

/** Stores a description as the command does: by its hash, and its text if the server needs it. Returns the bytes of the bodies. */
async function describeRun(product: Product, scanRunId: string, text: string): Promise<number> {
  const path = `/api/scan-runs/${scanRunId}/description?waitSeconds=10`;
  const digest = { "repr-digest": `sha-256=:${createHash("sha256").update(text).digest("base64")}:` };
  const asked = await send(product, "PUT", path, undefined, digest);
  if (asked.status < 300) return 0;
  const body = gzipSync(text);
  const stored = await send(product, "PUT", path, body, { ...digest, "content-encoding": "gzip" });
  if (stored.status !== 201)
    throw new Error(`a description was answered with ${stored.status}: ${await stored.text()}`);
  return body.length;
}

function send(
  { port, apiKey }: Product,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
}
