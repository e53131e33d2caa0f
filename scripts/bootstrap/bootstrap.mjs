import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { withFileLock } from "./file-lock.mjs";
import { findNode24, installNode24, isInstalled, npmCi } from "./packages.mjs";
import { step } from "./progress.mjs";
import { runQuietly } from "./run-program.mjs";

/**
 * Prepares the checkout: Node 24, the packages, the command's bundle, the console's files. Checking what exists takes
 * milliseconds. Concurrent first runs wait for each other.
 *
 * @returns {Promise<string>} the path of a Node 24 or later
 */
export async function bootstrap() {
  const ready = findNode24();
  if (ready !== undefined && isInstalled(root) && cliIsBuilt() && webIsBuilt()) return ready;

  const lock = path.join(root, ".waymark/install.lock");
  return withFileLock(lock, { waiting: "Another command is installing; waiting for it" }, async () => {
    const node = findNode24() ?? (await installNode24());
    if (!isInstalled(root)) await step("Installing packages", () => npmCi(root, node));
    const build = (title, folder, script) =>
      step(title, () => runQuietly(node, script, { cwd: path.join(root, folder), node }));
    if (!cliIsBuilt()) await build("Building the waymark command", "cli", ["build.mjs"]);
    const vite = ["../node_modules/vite/bin/vite.js", "build", "--logLevel=error"];
    if (!webIsBuilt()) await build("Building the console", "web", vite);
    return node;
  });
}

// `npx waymark` itself rebuilds a bundle that is older than its sources.
const cliIsBuilt = () => existsSync(path.join(root, "cli/dist/main.mjs"));

/** Whether the console's files are newer than all of their sources: its own, the shared models, the packages. */
function webIsBuilt() {
  const built = changedAt("web/dist/index.html");
  const files = ["web/src", "web/build", "web/public", "packages/shared/src"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, String(name))),
  );
  const sources = files.filter((file) => file.startsWith("web") || file.endsWith("schema.ts"));
  const others = ["package-lock.json", "web/index.html", "web/vite.config.ts"];
  return [...sources, ...others].every((file) => changedAt(file) < built);
}

/** @param {string} file */
function changedAt(file) {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
