import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, workspaceFolders } from "./checkout.mjs";
import { npm } from "./npm.mjs";
import { linkPostgresLibraries } from "./postgres-links.mjs";
import { step } from "./progress.mjs";

const stampFile = path.join(root, "node_modules/.install-stamp");

/** True when node_modules holds what the lockfile and the workspaces' package.json files ask for. */
export function packagesAreCurrent() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp();
}

/**
 * `npm ci` without install scripts, then the one thing that such a script is needed for: Postgres' library links.
 * @param {string} node Node 24, on which npm runs: some packages complain about an older one
 */
export async function installPackages(node) {
  const total = lockedPackages();
  await step("Installing packages", async (detail) => {
    const fetched = new Set();
    await npm(
      // Whatever NODE_ENV or an npmrc says: the tools and the platform's binaries are needed here.
      [
        "ci",
        "--ignore-scripts",
        "--include=dev",
        "--include=optional",
        "--no-audit",
        "--no-fund",
        "--loglevel=http",
      ],
      {
        node,
        cwd: root,
        onLine: (line) => {
          const archive = /https?:\S+\.tgz/.exec(line)?.[0];
          if (archive !== undefined) detail(`${fetched.add(archive).size} of about ${total}`);
        },
      },
    );
  });
  linkPostgresLibraries();
  writeFileSync(stampFile, stamp());
}

/** Packages that this platform gets: those of other platforms stand in the lockfile too. */
function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages).filter(
    ([name, entry]) =>
      name.includes("node_modules/") &&
      !entry.link &&
      isFor(entry.os, process.platform) &&
      isFor(entry.cpu, process.arch),
  ).length;
}

/** @param {string | string[] | undefined} names @param {string} own */
function isFor(names, own) {
  return names === undefined || [names].flat().includes(own);
}

function stamp() {
  const hash = createHash("sha256");
  for (const folder of [".", ...workspaceFolders()]) {
    const file = path.join(root, folder, "package.json");
    hash.update(`${folder}\0`).update(existsSync(file) ? readFileSync(file) : "");
  }
  hash.update(readFileSync(path.join(root, "package-lock.json")));
  return `${hash.digest("hex")} ${process.platform}-${process.arch}\n`;
}
