import type { Environment } from "../../support/environment.ts";
import { TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { seedServices } from "../../support/seed.ts";
import { createServiceSet } from "../../support/services.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

const CONNECTIONS = [1, 8, 32, 128] as const;
const SERVICES = 400;
const REQUESTS = 400;

/** Typical scans, new content, from ever more connections at once. */
export async function measureConnections(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_connections" });
  const set = createServiceSet(TYPICAL, SERVICES);
  const { command: server } = await seedServices(product, set);
  environment.own(await product.startWorker());
  process.stderr.write("  connections:");
  const samples = await runRounds(
    CONNECTIONS.map((connections) => ({
      name: `typical, ${connections} connections`,
      measure: () =>
        measurePersisting(product, {
          server,
          set,
          connections,
          requests: REQUESTS,
        }),
    })),
    rounds,
  );
  return figuresOf(samples);
}
