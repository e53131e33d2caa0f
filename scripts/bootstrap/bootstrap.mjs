import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { withFileLock } from "./file-lock.mjs";
import { findNode24, installNode24, isInstalled, npmCi } from "./packages.mjs";
import { step } from "./progress.mjs";
import { runQuietly } from "./run-program.mjs";

/**
 * Makes the checkout ready to run: Node 24, the packages, the command's bundle, the console's files. What is there already
 * costs milliseconds. Two first runs at once take turns.
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

// A bundle that is older than its sources `npx waymark` rebuilds by itself.
const cliIsBuilt = () => existsSync(path.join(root, "cli/dist/main.mjs"));

/** True when the console's files are newer than all that they are made of: its own, the shared models, the packages. */
function webIsBuilt() {
  const built = changedAt("web/dist/index.html");
  const files = ["web/src", "web/public", "packages/shared/src"].flatMap((folder) =>
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
