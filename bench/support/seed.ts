import { applyLoad } from "./load.ts";
import { createBodies, type ScanBody, SMALL } from "./payloads.ts";
import { checkIngest, type Product } from "./product.ts";

/** Services that the scans are of. */
export const SERVICES = 1_000;
const FIRST_SEED_CONTENT = 900_000_000;

/** Gives the organization its services, as a fleet that has been running has them. */
export async function createServices(product: Pick<Product, "server">): Promise<void> {
  const bodies = createBodies(SMALL);
  await applyLoad(product.server, {
    connections: 8,
    requests: SERVICES,
    body: (n) => bodies(FIRST_SEED_CONTENT + n, n),
    check: checkIngest(),
  });
}

/** Sends the first `count` contents and has them persisted, so that they are known from then on. */
export async function persistBodies(
  product: Pick<Product, "server" | "db" | "drained"> & { startWorker: () => Promise<AsyncDisposable> },
  { bodies, count }: { bodies: (content: number, service: number) => ScanBody; count: number },
): Promise<void> {
  const worker = await product.startWorker();
  try {
    await applyLoad(product.server, {
      connections: 8,
      requests: count,
      body: (n) => bodies(n, n % SERVICES),
      check: checkIngest(),
    });
    await product.drained();
  } finally {
    await worker[Symbol.asyncDispose]();
  }
  // Settled: what autovacuum would otherwise do in the middle of a round.
  await product.db.query("VACUUM (ANALYZE)");
}
