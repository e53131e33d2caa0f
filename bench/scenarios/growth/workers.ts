import type { Environment } from "../../support/environment.ts";
import { TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { seedServices } from "../../support/seed.ts";
import { createServiceSet } from "../../support/services.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

const WORKERS = [1, 2, 4] as const;
const SERVICES = 400;
const REQUESTS = 400;

/** Typical scans, new content, 8 connections, and ever more worker processes on the same processors. */
export async function measureWorkers(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_workers" });
  const set = createServiceSet(TYPICAL, SERVICES);
  const { command: server } = await seedServices(product, set);
  process.stderr.write("  workers:");
  const samples = await runRounds(
    WORKERS.map((count) => ({
      name: `typical, ${count} workers`,
      async measure() {
        const workers = await Promise.all(Array.from({ length: count }, () => product.startWorker()));
        try {
          return await measurePersisting(product, {
            server,
            set,
            connections: 8,
            requests: REQUESTS,
          });
        } finally {
          await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
        }
      },
    })),
    rounds,
  );
  return figuresOf(samples);
}
