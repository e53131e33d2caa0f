import type { Environment } from "../../support/environment.ts";
import { createBodies, LARGE, MAX, SMALL, TYPICAL } from "../../support/payloads.ts";
import { startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices, SERVICES } from "../../support/seed.ts";
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
  await createServices(product);
  environment.own(await product.startWorker());
  let content = 1;
  process.stderr.write("  items:");
  const samples = await runRounds(
    SIZES.map(([size, requests]) => {
      const bodies = createBodies(size);
      return {
        name: `${size.endpoints} endpoints, ${size.findings} findings`,
        measure: () =>
          measurePersisting(product, {
            connections: 1,
            requests,
            body: () => bodies(content++, content % SERVICES),
          }),
      };
    }),
    rounds,
  );
  return figuresOf(samples);
}
