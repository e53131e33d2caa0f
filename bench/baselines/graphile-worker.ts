// The queue that a team with nothing but Postgres would otherwise take.
import { makeWorkerUtils, run } from "graphile-worker";
import { serveCalls } from "../support/calls.ts";
import { createJobCounter } from "../support/run-jobs.ts";

const connectionString = process.env["DATABASE_URL"] ?? "";
const counter = createJobCounter();
const utils = await makeWorkerUtils({ connectionString });
await utils.migrate();
await run({
  connectionString,
  concurrency: 4,
  noHandleSignals: true,
  taskList: { "persist-scan": () => counter.done() },
});

serveCalls({
  ready: () => 0,
  run: (jobs: number) => counter.run(jobs, (n) => utils.addJob("persist-scan", { n })),
});
