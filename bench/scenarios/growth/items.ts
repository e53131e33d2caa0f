import type { Environment } from "../../support/environment.ts";
import { LARGE, MAX, SMALL, TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { seedServices } from "../../support/seed.ts";
import { createServiceSet } from "../../support/services.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

const ONE = { name: "one", endpoints: 1, findings: 0 };
/** Requests of a round: about as many items in each. */
const SIZES = [
  [ONE, 400],
  [SMALL, 400],
  [TYPICAL, 200],
  [LARGE, 60],
  [{ name: "half", endpoints: 1000, findings: 250 }, 30],
  [MAX, 16],
] as const;

/** One connection, and scans of 1 to 2,500 items. */
export async function measureItems(environment: Environment, { rounds }: ScenarioOptions): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_items" });
  const seeded = [];
  for (const [size, requests] of SIZES) {
    const set = createServiceSet(size, requests);
    seeded.push({ size, requests, set, server: (await seedServices(product, set)).command });
  }
  environment.own(await product.startWorker());
  process.stderr.write("  items:");
  const samples = await runRounds(
    seeded.map(({ size, requests, set, server }) => {
      return {
        name: `${size.endpoints} endpoints, ${size.findings} findings`,
        measure: () =>
          measurePersisting(product, {
            server,
            set,
            connections: 1,
            requests,
          }),
      };
    }),
    rounds,
  );
  return figuresOf(samples);
}
