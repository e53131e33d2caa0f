import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { npm } from "./npm.mjs";
import { step } from "./progress.mjs";

const NEEDED_MAJOR = 24;
const folder = path.join(root, "tools/node24");

/**
 * Node 24 or later: the running one, else the one installed under tools/node24.
 * @returns {string | undefined}
 */
export function findNode24() {
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) return process.execPath;
  const file = installedNode();
  return file !== undefined && isCurrent(file) ? file : undefined;
}

/**
 * Installs the platform's Node from tools/node24's own lockfile: integrity-checked, without install scripts.
 *
 * @returns {Promise<string>} its path
 * @throws Error that says what to do where there is none for this platform
 */
export async function installNode24() {
  await step(`Installing Node ${NEEDED_MAJOR} (this machine has ${process.versions.node})`, () =>
    npm(["ci", "--ignore-scripts", "--include=optional", "--no-audit", "--no-fund"], {
      node: process.execPath,
      cwd: folder,
    }),
  );
  const file = installedNode();
  const probe = file === undefined ? undefined : spawnSync(file, ["--version"], { encoding: "utf8" });
  if (file !== undefined && probe?.status === 0) return file;
  throw new Error(
    `Waymark runs on Node ${NEEDED_MAJOR} or later and could not install one for ${process.platform}-${process.arch}` +
      `${probe?.stderr ? ` (${probe.stderr.trim()})` : ""}. Install it from https://nodejs.org and run this command again.`,
  );
}

/** The binary that npm installed for this platform, whichever of the packages it chose. */
function installedNode() {
  return packageNames()
    .flatMap((name) =>
      ["bin/node", "bin/node.exe"].map((bin) => path.join(folder, "node_modules", name, bin)),
    )
    .find((file) => existsSync(file));
}

/** Its version is the one that the lockfile names now, not one from before an update. */
function isCurrent(/** @type {string} */ file) {
  const name = path.relative(path.join(folder, "node_modules"), file).split(path.sep)[0];
  const installed = JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8"));
  const wanted = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return installed.version === wanted.optionalDependencies[name];
}

/** @returns {string[]} */
function packageNames() {
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return Object.keys(optionalDependencies);
}
