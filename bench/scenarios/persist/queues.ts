import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { startBaseline } from "../../support/baseline.ts";
import type { Environment } from "../../support/environment.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { runRounds, valuesOf } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";

const JOBS = 500;

/** Jobs per second from adding to completion, on the product's queues and on graphile-worker. No target. */
export async function measureQueues(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const withSchema = { DATABASE_URL: serviceUrl(await environment.createDatabase("queue", "waymark")) };
  const empty = { DATABASE_URL: await environment.createDatabase("graphile", "empty") };
  const redis = { ...withSchema, REDIS_URL: await environment.startRedis() };
  const queues = [
    ["the queue on Redis", await startBaseline(environment, "subjects/queue", redis)],
    ["the queue on Postgres", await startBaseline(environment, "subjects/queue", withSchema)],
    ["graphile-worker", await startBaseline(environment, "baselines/graphile-worker", empty)],
  ] as const;

  process.stderr.write("  queues:");
  const samples = await runRounds(
    queues.map(([name, queue]) => ({
      name,
      measure: async () => ({ perSecond: (JOBS / (await queue.process.call<number>("run", JOBS))) * 1000 }),
    })),
    rounds,
  );
  const figures = [...samples.keys()].map((subject) => ({
    subject: `jobs: ${subject}`,
    measurement: "perSecond",
    unit: "1/s",
    values: valuesOf(samples, subject, "perSecond"),
  }));
  return { figures, findings: [] };
}
