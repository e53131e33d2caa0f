import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { npm } from "./npm.mjs";
import { step } from "./progress.mjs";

const stampFile = path.join(root, "cli/dist/.build-stamp");

/** True when the CLI's bundle, which `npx waymark` runs, was built from the sources as they are now. */
export function cliIsCurrent() {
  if (!hasBuildScript()) return true;
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === sourceHash();
}

/** @param {string} node */
export async function buildCli(node) {
  const hash = sourceHash();
  await step("Building the waymark command", () =>
    npm(["run", "build", "-w", "waymark"], { node, cwd: root }),
  );
  writeFileSync(stampFile, hash);
}

function hasBuildScript() {
  const { scripts } = JSON.parse(readFileSync(path.join(root, "cli/package.json"), "utf8"));
  return scripts?.build !== undefined;
}

function sourceHash() {
  const hash = createHash("sha256");
  const files = ["cli", "packages"].flatMap((folder) => sourceFiles(path.join(root, folder)));
  for (const file of [...files.toSorted(), path.join(root, "package-lock.json")]) {
    hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
  }
  return `${hash.digest("hex")}\n`;
}

/** @param {string} folder @returns {string[]} */
function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === "node_modules" || entry.name === "dist" ? [] : sourceFiles(file);
    return /\.(ts|mjs|json)$/.test(entry.name) && !entry.name.endsWith(".test.ts") ? [file] : [];
  });
}
