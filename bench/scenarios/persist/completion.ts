import { serviceUrl } from "../../../test/support/service-url.ts";
import { startBaseline } from "../../support/baseline.ts";
import { openConnection } from "../../support/connection.ts";
import type { Environment } from "../../support/environment.ts";
import { createBodies, MAX } from "../../support/payloads.ts";
import { checkIngest, type Product, startProduct } from "../../support/product.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { ratios, runRounds, valuesOf } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices } from "../../support/seed.ts";
import { quantile } from "../../support/statistics.ts";
import { TARGETS } from "../../support/targets.ts";
import type { InsertionOrder } from "../../support/time-insertions.ts";

const RUNS = 8;
/** Between two scans, so that each finds everything idle. */
const PAUSE_MS = 50;

/** From the 201 of one scan to the commit that completes it, with nothing else to do, against the rows alone. */
export async function measureCompletion(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const redis = await startIdleProduct(environment, "redis");
  const postgres = await startIdleProduct(environment, "postgres");
  const expansion = await startBaseline(environment, "subjects/expansion", {
    DATABASE_URL: serviceUrl(redis.databaseUrl),
  });

  let content = 0;
  const bodies = createBodies(MAX);
  const measureProduct = (product: Product) => async () => ({
    p50: await medianCompletion(product, () => bodies(content++, 0)),
  });
  process.stderr.write("  completion:");
  const samples = await runRounds(
    [
      {
        name: "expansion alone",
        async measure() {
          const order: InsertionOrder = {
            organizationId: redis.organizationId,
            size: MAX,
            content,
            count: RUNS,
          };
          content += RUNS;
          return { p50: quantile(await expansion.process.call<number[]>("insert", order), 0.5) };
        },
      },
      { name: "waymark on Redis", measure: measureProduct(redis) },
      { name: "waymark on Postgres", measure: measureProduct(postgres) },
    ],
    rounds,
  );
  return {
    figures: [...samples.keys()].map((subject) => ({
      subject: `max, 201 to completed: ${subject}`,
      measurement: "p50",
      unit: "ms",
      values: valuesOf(samples, subject, "p50"),
    })),
    findings: [
      {
        target: TARGETS.completedRedis,
        values: ratios(samples, "p50", "waymark on Redis", "expansion alone"),
      },
      {
        target: TARGETS.completedPostgres,
        values: ratios(samples, "p50", "waymark on Postgres", "expansion alone"),
      },
    ],
  };
}

async function startIdleProduct(environment: Environment, queue: "redis" | "postgres"): Promise<Product> {
  const product = await startProduct(environment, { name: `completion_${queue}`, queue });
  environment.own(await product.startWorker());
  await createServices(product);
  await product.drained();
  return product;
}

async function medianCompletion(
  product: Product,
  body: () => ReturnType<ReturnType<typeof createBodies>>,
): Promise<number> {
  const connection = await openConnection(product.server.port);
  const check = checkIngest("accepted");
  const durations: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const scan = body();
    const answer = await connection.post(product.server.path, product.server.headers, scan.bytes);
    const answered = performance.timeOrigin + performance.now();
    check(answer, scan);
    const { scanRunId } = JSON.parse(answer.body) as { scanRunId: string };
    await product.drained();
    durations.push((await committedAt(product, scanRunId)) - answered);
  }
  connection.close();
  return quantile(durations, 0.5);
}

/** When the transaction that last wrote the run committed, by this machine's clock, in milliseconds. */
async function committedAt({ db }: Product, scanRunId: string): Promise<number> {
  const { rows } = await db.query<{ status: string; ms: string }>(
    "SELECT status, extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS ms FROM scan_runs WHERE id = $1",
    [scanRunId],
  );
  if (rows[0]?.status !== "completed") throw new Error(`the run is ${rows[0]?.status}`);
  return Number(rows[0].ms);
}
