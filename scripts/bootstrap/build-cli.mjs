import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { npm } from "./npm.mjs";
import { step } from "./progress.mjs";

/** True when `npx waymark` has something to run. A bundle that is older than its sources it rebuilds by itself. */
export function cliIsBuilt() {
  return existsSync(path.join(root, "cli/dist/main.mjs"));
}

/** @param {string} node */
export async function buildCli(node) {
  await step("Building the waymark command", () =>
    npm(["run", "build", "-w", "waymark"], { node, cwd: root }),
  );
}
