import type { Environment } from "../../support/environment.ts";
import { createBodies, TYPICAL } from "../../support/payloads.ts";
import { type Product, startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices, SERVICES } from "../../support/seed.ts";
import { figuresOf, measurePersisting } from "./measure-persisting.ts";

/** Endpoint rows that are stored already. Beyond these docs/performance.md has a model. */
const STORED_ROWS = [0, 1_000_000, 10_000_000] as const;
const ROWS_PER_SNAPSHOT = 2_000;
const REQUESTS = 400;
const CONNECTIONS = 8;

/** Typical scans, new content, into tables that hold ever more. Stages, not turns: what is stored stays. */
export async function measureStoredRows(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_rows" });
  await createServices(product);
  environment.own(await product.startWorker());
  await product.drained();
  const bodies = createBodies(TYPICAL);
  let content = 1;
  let stored = 0;
  const figures: Figure[] = [];
  for (const rows of STORED_ROWS) {
    process.stderr.write(`  ${rows} rows stored:`);
    await storeRows(product, { from: stored, to: rows });
    stored = rows;
    const name = `typical, ${rows.toLocaleString("en")} rows stored`;
    const measure = () =>
      measurePersisting(product, {
        connections: CONNECTIONS,
        requests: REQUESTS,
        body: () => bodies(content++, content % SERVICES),
      });
    figures.push(...figuresOf(await runRounds([{ name, measure }], rounds)));
    figures.push(...(await sizeOf(product, name)));
  }
  return figures;
}

/** Snapshots as the worker stores them, made by the database itself: their ids are as random as hashes. */
async function storeRows(
  { db, organizationId }: Product,
  range: { from: number; to: number },
): Promise<void> {
  const snapshots = [range.from / ROWS_PER_SNAPSHOT + 1, range.to / ROWS_PER_SNAPSHOT];
  await db.query(
    `INSERT INTO snapshot_endpoints
       (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
     SELECT $1, sha256(s::text::bytea), o, 'GET',
            '/v1/accounts/{id}/invoice-lines-' || o || '/{line_id}/' || s, 'getAccountInvoiceLine' || o,
            ARRAY['accounts', 'invoice-line'], 'Returns one invoice-line of an account with its total, number ' || o
     FROM generate_series($2::int, $3::int) s, generate_series(1, ${ROWS_PER_SNAPSHOT}) o`,
    [organizationId, ...snapshots],
  );
  await db.query(
    `INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
     SELECT $1, sha256(s::text::bytea), ${ROWS_PER_SNAPSHOT}, 0, '{}' FROM generate_series($2::int, $3::int) s`,
    [organizationId, ...snapshots],
  );
  await db.query("VACUUM (ANALYZE) snapshot_endpoints");
  await db.query("CHECKPOINT");
}

async function sizeOf({ db }: Product, subject: string): Promise<Figure[]> {
  const { rows } = await db.query<{ table: string; index: string; total: string }>(
    `SELECT pg_table_size('snapshot_endpoints') AS table, pg_indexes_size('snapshot_endpoints') AS index,
            count(*) AS total FROM snapshot_endpoints`,
  );
  const [size] = rows;
  if (size === undefined) throw new Error("the table has no size");
  const perRow = (bytes: string) => Number(bytes) / Number(size.total);
  return [
    { subject, measurement: "table, per row", unit: "bytes", values: [perRow(size.table)] },
    { subject, measurement: "index, per row", unit: "bytes", values: [perRow(size.index)] },
  ];
}
