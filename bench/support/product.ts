import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { serviceUrl } from "../../test/support/service-url.ts";
import { createOrganization } from "../../test/support/stack.ts";
import type { Answer } from "./connection.ts";
import type { Environment } from "./environment.ts";
import type { Server } from "./load.ts";
import { type MeasuredProcess, startMeasured } from "./measured-process.ts";
import type { ScanBody } from "./payloads.ts";

export interface Product {
  databaseUrl: string;
  organizationId: string;
  api: MeasuredProcess;
  server: Server;
  /** The database's owner. */
  db: Client;
  startWorker(): Promise<MeasuredProcess>;
  /** Waits until no run is left that waits for a worker. */
  drained(): Promise<void>;
}

/** The real api on a database of its own, with its queue on Redis or on Postgres, and no worker yet. */
export async function startProduct(
  environment: Environment,
  { name, queue = "redis" }: { name: string; queue?: "redis" | "postgres" },
): Promise<Product> {
  const databaseUrl = await environment.createDatabase(name, "waymark");
  const organization = await createOrganization(databaseUrl);
  const db = await connectOwner(environment, databaseUrl);
  const port = await findFreePort();
  const shared: Record<string, string> = { DATABASE_URL: serviceUrl(databaseUrl) };
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
    databaseUrl,
    organizationId: organization.organizationId,
    api,
    db,
    server: ingestServer(port, organization.apiKey),
    startWorker: async () =>
      startMeasured("services/worker/src/main.ts", {
        env: { ...shared, METRICS_PORT: String(await findFreePort()) },
        logFolder,
        isReady: async (worker) => worker.log().includes("worker is ready"),
      }),
    async drained() {
      for (;;) {
        const waiting = await countWaiting(db);
        if (waiting === 0) return;
        // Counting costs what is being measured, so it is done less often while the end is far.
        await sleep(Math.min(Math.max(waiting, 5), 50));
      }
    },
  };
}

export async function connectOwner(environment: Environment, databaseUrl: string): Promise<Client> {
  const db = new Client(databaseUrl);
  // The server goes before the connection does.
  db.on("error", () => undefined);
  await db.connect();
  environment.own({ [Symbol.asyncDispose]: () => db.end() });
  return db;
}

export function ingestServer(port: number, apiKey: string): Server {
  return { port, path: "/api/scans/ingest", headers: `Authorization: Bearer ${apiKey}\r\n` };
}

/** Runs that wait for a worker, failed ones not among them. */
export async function countWaiting(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "SELECT count(*)::int AS total FROM scan_payloads WHERE available_at IS NOT NULL",
  );
  return rows[0]?.total ?? 0;
}

/** @throws Error unless the scan was accepted as what it is, and where given with this status */
export function checkIngest(status?: "accepted" | "completed"): (answer: Answer, body: ScanBody) => void {
  return (answer, { size }) => {
    const wrong = () => new Error(`a scan was answered with ${answer.status}: ${answer.body.slice(0, 500)}`);
    if (answer.status !== 201) throw wrong();
    const result = JSON.parse(answer.body) as Record<string, unknown>;
    if (result["endpointCount"] !== size.endpoints || result["findingCount"] !== size.findings) throw wrong();
    if (status !== undefined && result["status"] !== status) throw wrong();
  };
}
