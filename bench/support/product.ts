import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";
import type { Answer } from "./connection.ts";
import type { Environment } from "./environment.ts";
import type { Server } from "./load.ts";
import { type MeasuredProcess, startMeasured } from "./measured-process.ts";
import { countUnderived, countWaiting } from "./product-state.ts";
import type { ScanBody } from "./requests.ts";

const DERIVED_POLL_MS = 500;

export interface Product {
  databaseUrl: string;
  organizationId: string;
  /** The organization's first key, which is bound to nothing. */
  apiKey: string;
  port: number;
  api: MeasuredProcess;
  /** The database's owner. */
  db: Client;
  startWorker(): Promise<MeasuredProcess>;
  /** Waits until no run is left that waits for a worker. */
  drained(): Promise<void>;
  /** Waits until a worker has derived everything from the current contents. */
  derived(): Promise<void>;
}

export interface ProductOptions {
  name: string;
  queue?: "redis" | "postgres";
  /** More variables for both processes. */
  env?: Record<string, string>;
}

/** The real api on a database of its own, with its queue on Redis or on Postgres, and no worker yet. */
export async function startProduct(
  environment: Environment,
  { name, queue = "redis", env = {} }: ProductOptions,
): Promise<Product> {
  const databaseUrl = await environment.createDatabase(name, "waymark");
  const organization = await createOrganization(databaseUrl);
  const db = await connectOwner(environment, databaseUrl);
  const port = await findFreePort();
  const shared: Record<string, string> = { DATABASE_URL: serviceUrl(databaseUrl), ...env };
  if (queue === "redis") shared["REDIS_URL"] = await environment.startRedis();
  const { logFolder } = environment;

  const api = environment.own(
    await startMeasured("services/api/src/main.ts", {
      env: { ...shared, PORT: String(port), METRICS_PORT: String(await findFreePort()) },
      logFolder,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200,
    }),
  );
  return {
    ...organization,
    databaseUrl,
    port,
    api,
    db,
    startWorker: async () =>
      startMeasured("services/worker/src/main.ts", {
        env: { ...shared, METRICS_PORT: String(await findFreePort()) },
        logFolder,
        isReady: async (worker) => worker.log().includes("worker is ready"),
      }),
    drained: () => waitUntilDrained(db),
    derived: () => waitUntilDerived(db),
  };
}

async function waitUntilDrained(db: Client): Promise<void> {
  for (;;) {
    const waiting = await countWaiting(db);
    if (waiting === 0) return;
    // Counting costs what is being measured, so it is done less often while the end is far.
    await sleep(Math.min(Math.max(waiting, 5), 50));
  }
}

async function waitUntilDerived(db: Client): Promise<void> {
  while (Object.values(await countUnderived(db)).some((left) => left > 0)) await sleep(DERIVED_POLL_MS);
}

export async function connectOwner(environment: Environment, databaseUrl: string): Promise<Client> {
  const db = new Client(databaseUrl);
  // The server goes before the connection does.
  db.on("error", () => undefined);
  await db.connect();
  environment.own({ [Symbol.asyncDispose]: () => db.end() });
  return db;
}

/** The api with one key for all services: bound to none, or in a baseline that does not look at what it is bound to. */
export function ingestServer({ port, apiKey }: Pick<Product, "port" | "apiKey">): Server {
  return { port, path: "/api/scans/ingest", keyOf: () => apiKey };
}

/** @throws Error unless the scan was accepted with its counts, and answered with one of these statuses */
export function checkCounts(...statuses: string[]): (answer: Answer, body: ScanBody) => void {
  return (answer, body) => {
    const result = readResult(answer, body);
    if (statuses.length > 0 && !statuses.includes(String(result["status"]))) throw wrong(answer, body);
  };
}

/** @throws Error unless Waymark accepted the scan as what it is: new ones are never "unchanged", repeated ones are */
export function checkIngest(answer: Answer, body: ScanBody): void {
  const { status, unchanged } = readResult(answer, body);
  if (body.kind === "repeated" && !(status === "completed" && unchanged === true)) throw wrong(answer, body);
  if (body.kind === "new" && !(status === "accepted" && unchanged === false)) throw wrong(answer, body);
  if (body.kind === "evolving" && unchanged !== false) throw wrong(answer, body);
}

function readResult(answer: Answer, body: ScanBody): Record<string, unknown> {
  if (answer.status !== 201) throw wrong(answer, body);
  const result = JSON.parse(answer.body) as Record<string, unknown>;
  const { endpoints, findings } = body;
  if (result["endpointCount"] !== endpoints || result["findingCount"] !== findings) throw wrong(answer, body);
  return result;
}

function wrong({ status, body }: Answer, { kind, service }: ScanBody): Error {
  return new Error(`a scan (${kind}, ${service}) was answered with ${status}: ${body.slice(0, 500)}`);
}
