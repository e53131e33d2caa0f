import type { Environment } from "../../support/environment.ts";
import { createBodies, TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices, SERVICES } from "../../support/seed.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

const WORKERS = [1, 2, 4] as const;
const REQUESTS = 400;

/** Typical scans, new content, 8 connections, and ever more worker processes on the same processors. */
export async function measureWorkers(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_workers" });
  await createServices(product);
  const bodies = createBodies(TYPICAL);
  let content = 1;
  process.stderr.write("  workers:");
  const samples = await runRounds(
    WORKERS.map((count) => ({
      name: `typical, ${count} workers`,
      async measure() {
        const workers = await Promise.all(Array.from({ length: count }, () => product.startWorker()));
        try {
          return await measurePersisting(product, {
            connections: 8,
            requests: REQUESTS,
            body: () => bodies(content++, content % SERVICES),
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
