import { serviceUrl } from "../../../test/support/service-url.ts";
import { createOrganization } from "../../../test/support/stack.ts";
import { type Baseline, startBaseline } from "../../support/baseline.ts";
import type { Environment } from "../../support/environment.ts";
import { MAX } from "../../support/payloads.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { runRounds, valuesOf } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { quantile } from "../../support/statistics.ts";
import { TARGETS } from "../../support/targets.ts";
import type { InsertionOrder } from "../../support/time-insertions.ts";

const RUNS = 8;

/** One run's rows on an idle machine: the product's statement against binary COPY. */
export async function measureRows(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const databaseUrl = await environment.createDatabase("rows", "waymark");
  const { organizationId } = await createOrganization(databaseUrl);
  const expansion = await startBaseline(environment, "subjects/expansion", {
    DATABASE_URL: serviceUrl(databaseUrl),
  });
  const copy = await startBaseline(environment, "baselines/copy", { DATABASE_URL: databaseUrl });

  let content = 0;
  const measure = (subject: Baseline) => async () => {
    const order: InsertionOrder = { organizationId, size: MAX, content, count: RUNS };
    content += RUNS;
    return { p50: quantile(await subject.process.call<number[]>("insert", order), 0.5) };
  };
  process.stderr.write("  rows:");
  const samples = await runRounds(
    [
      { name: "waymark", measure: measure(expansion) },
      { name: "binary COPY", measure: measure(copy) },
    ],
    rounds,
  );
  const waymark = valuesOf(samples, "waymark", "p50");
  // Rates: twice as fast is 2.
  const values = valuesOf(samples, "binary COPY", "p50").map(
    (ms, round) => ms / (waymark[round] ?? Number.NaN),
  );
  return {
    figures: [...samples.keys()].map((subject) => ({
      subject: `max, rows alone: ${subject}`,
      measurement: "p50",
      unit: "ms",
      values: valuesOf(samples, subject, "p50"),
    })),
    findings: [{ target: TARGETS.rowsOfOneRun, values }],
  };
}
