import path from "node:path";

/** Runs the services of many tests in one process. */
export const HOST_SCRIPT = "test/support/host/main.ts";

export const SERVICE_SCRIPTS = [
  "services/api/src/main.ts",
  "services/worker/src/main.ts",
  "services/api/src/admin.ts",
  "services/api/src/migrate.ts",
  HOST_SCRIPT,
  // Processes that the services start.
  "services/api/src/journey-runs/reports/report-process.ts",
  "services/worker/src/journeys/runner/runner-process.ts",
  "packages/server/src/journeys/compiler/compiler-process.ts",
];

/** Names the folder with a test run's bundles of these. The run's workers inherit it. */
export const BUNDLES = "WAYMARK_TEST_BUNDLES";

/** The file that Node runs for a script of the checkout: its bundle in a test run, else the script itself. */
export function runnable(script: string): string {
  const folder = process.env[BUNDLES];
  if (folder === undefined || !SERVICE_SCRIPTS.includes(script)) return script;
  return path.join(folder, script.replace(/\.ts$/, ".mjs"));
}
