// The first thing that runs on a new machine: plain Node 20, nothing installed. It finds or installs Node 24,
// installs the packages, and hands over to the command's own script on Node 24.
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

/** What each command runs on Node 24, relative to the checkout. Arguments of the user follow. */
const COMMANDS = {
  start: ["scripts/dev.ts"],
  test: ["node_modules/vitest/vitest.mjs", "run"],
  "test:faults": ["test/faults/main.ts"],
  check: ["scripts/check.ts"],
  schema: ["scripts/schema.ts"],
  changeset: ["node_modules/@changesets/cli/bin.js"],
  bench: ["bench/main.ts"],
  screenshots: [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/browser/screenshots/vitest.config.ts",
  ],
  migrate: ["services/api/src/migrate.ts"],
  admin: ["services/api/src/admin.ts"],
  "start:api": ["services/api/src/main.ts"],
  "start:worker": ["services/worker/src/main.ts"],
};

const [name = "", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

if (Number(process.versions.node.split(".")[0]) < 20) {
  process.stderr.write(
    `Waymark needs Node 20 or later; this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}
if (command === undefined) {
  process.stderr.write(`Usage: node scripts/run.mjs <${Object.keys(COMMANDS).join("|")}> [arguments]\n`);
  process.exit(2);
}

// Imported late: older Node versions must get as far as the message above.
const { bootstrap } = await import("./bootstrap/bootstrap.mjs");
const { handOver } = await import("./bootstrap/hand-over.mjs");
try {
  const node = await bootstrap();
  const [script, ...rest] = command;
  if (!existsSync(path.join(root, script))) throw new Error(`${script} is missing from this checkout.`);
  await handOver(node, [path.join(root, script), ...rest, ...args]);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
