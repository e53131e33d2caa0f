import type { Environment } from "../../support/environment.ts";
import { TYPICAL } from "../../support/payloads.ts";
import { type Product, startProduct } from "../../support/product.ts";
import { measureEndpointRows, storeEndpointRows } from "../../support/product-state.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { seedServices } from "../../support/seed.ts";
import { createServiceSet } from "../../support/services.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

/** Endpoint rows that are stored already. Beyond these docs/performance.md has a model. */
const STORED_ROWS = [0, 1_000_000, 10_000_000] as const;
const SERVICES = 400;
const REQUESTS = 400;
const CONNECTIONS = 8;

/** Typical scans, new content, into tables that hold ever more. Stages, not turns: what is stored stays. */
export async function measureStoredRows(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_rows" });
  const set = createServiceSet(TYPICAL, SERVICES);
  const { command: server } = await seedServices(product, set);
  environment.own(await product.startWorker());
  await product.drained();
  let stored = 0;
  const figures: Figure[] = [];
  for (const rows of STORED_ROWS) {
    process.stderr.write(`  ${rows} rows stored:`);
    await storeEndpointRows(product.db, product.organizationId, { from: stored, to: rows });
    stored = rows;
    const name = `typical, ${rows.toLocaleString("en")} rows stored`;
    const measure = () =>
      measurePersisting(product, {
        server,
        set,
        connections: CONNECTIONS,
        requests: REQUESTS,
      });
    figures.push(...figuresOf(await runRounds([{ name, measure }], rounds)));
    figures.push(...(await sizeOf(product, name)));
  }
  return figures;
}

async function sizeOf({ db }: Product, subject: string): Promise<Figure[]> {
  const { table, index } = await measureEndpointRows(db);
  return [
    { subject, measurement: "table, per row", unit: "bytes", values: [table] },
    { subject, measurement: "index, per row", unit: "bytes", values: [index] },
  ];
}
