import type { Environment } from "../../support/environment.ts";
import { createBodies, TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices, SERVICES } from "../../support/seed.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

const CONNECTIONS = [1, 8, 32, 128] as const;
const REQUESTS = 400;

/** Typical scans, new content, from ever more connections at once. */
export async function measureConnections(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_connections" });
  await createServices(product);
  environment.own(await product.startWorker());
  const bodies = createBodies(TYPICAL);
  let content = 1;
  process.stderr.write("  connections:");
  const samples = await runRounds(
    CONNECTIONS.map((connections) => ({
      name: `typical, ${connections} connections`,
      measure: () =>
        measurePersisting(product, {
          connections,
          requests: REQUESTS,
          body: () => bodies(content++, content % SERVICES),
        }),
    })),
    rounds,
  );
  return figuresOf(samples);
}
