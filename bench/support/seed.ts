import { applyLoad, type Server } from "./load.ts";
import { checkIngest, ingestServer, type Product } from "./product.ts";
import { encodeScan } from "./requests.ts";
import { boundServer } from "./service-keys.ts";
import type { ServiceSet } from "./services.ts";
import { verifyKinds } from "./verify-kinds.ts";

/** The parts of a product that are needed to have scans persisted. */
export type Persisting = Pick<Product, "port" | "apiKey" | "db" | "drained"> & {
  startWorker: () => Promise<AsyncDisposable>;
};

/** Both ways to send to one api. */
export interface IngestServers {
  command: Server;
  plain: Server;
}

const CONNECTIONS = 8;

/**
 * Gives the organization these services, each with its first scan persisted and a key of its own, and makes sure that
 * every kind of scan is what it says.
 */
export async function seedServices(product: Persisting, set: ServiceSet): Promise<IngestServers> {
  const servers = { command: await boundServer(product, set.names), plain: ingestServer(product) };
  const worker = await product.startWorker();
  try {
    await sendFirstScans(servers.command, set);
    await product.drained();
    await verifyKinds(product, servers.command, set);
  } finally {
    await worker[Symbol.asyncDispose]();
  }
  // Settled: what autovacuum would otherwise do in the middle of a round.
  await product.db.query("VACUUM (ANALYZE)");
  return servers;
}

async function sendFirstScans(server: Server, set: ServiceSet): Promise<void> {
  const scans = set.first()[Symbol.iterator]();
  await applyLoad(server, {
    connections: CONNECTIONS,
    requests: set.names.length,
    body: () => {
      const { value, done } = scans.next();
      if (done === true) throw new Error("there are more requests than services");
      return encodeScan(value, "command");
    },
    check: checkIngest,
  });
}
