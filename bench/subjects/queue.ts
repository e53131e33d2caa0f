// The product's queue with nothing to do: on Redis where REDIS_URL is set, else on Postgres.
import { openScanQueue, openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import { serveCalls } from "../support/calls.ts";
import { createJobCounter } from "../support/run-jobs.ts";

const backend = {
  redisUrl: process.env["REDIS_URL"],
  databaseUrl: process.env["DATABASE_URL"] ?? "",
};
const onError = (error: Error) => console.error(error);
const counter = createJobCounter();
const queue = openScanQueue(backend, { onError });
openScanWorker(backend, { concurrency: 4, onError }, async () => counter.done());
while (!(await queue.isUsable())) await new Promise((resolve) => setTimeout(resolve, 50));

const organizationId = crypto.randomUUID();
serveCalls({
  ready: () => 0,
  run: (jobs: number) =>
    counter.run(jobs, () => queue.announce({ organizationId, scanRunId: crypto.randomUUID() })),
});
