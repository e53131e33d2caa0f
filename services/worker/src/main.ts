import { getPriority, setPriority } from "node:os";
import { runProcess } from "@waymark/server/lib/run-process.ts";
import { startWorker } from "./app/start-worker.ts";
import { loadConfig } from "./config.ts";

await runProcess("worker", () => {
  const config = loadConfig();
  // Only lowers the priority: raising it needs privileges.
  if (getPriority() < config.nice) setPriority(config.nice);
  return startWorker(config);
});
