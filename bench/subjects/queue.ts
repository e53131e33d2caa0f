// The product's queue with nothing to do: on Redis where REDIS_URL is set, else on Postgres.
import { openQueues } from "@waymark/shared/queue/queues.ts";
import { openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import { serveCalls } from "../support/calls.ts";
import { createJobCounter } from "../support/run-jobs.ts";

const backend = {
  redisUrl: process.env["REDIS_URL"],
  databaseUrl: process.env["DATABASE_URL"] ?? "",
};
const onError = (error: Error) => console.error(error);
const counter = createJobCounter();
const queues = openQueues(backend, { onError });
openScanWorker(backend, { concurrency: 4, onError }, async () => counter.done());
while (!(await queues.isUsable())) await new Promise((resolve) => setTimeout(resolve, 50));

const organizationId = crypto.randomUUID();
serveCalls({
  ready: () => 0,
  run: (jobs: number) =>
    counter.run(jobs, () => queues.scans.announce({ organizationId, scanRunId: crypto.randomUUID() })),
});
