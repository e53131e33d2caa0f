import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";
import { npm } from "./npm.mjs";
import { step } from "./progress.mjs";

const stampFile = path.join(root, "web/dist/.build-stamp");

/** True when the console's static files were built from the sources as they are. */
export function webIsBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp();
}

/** @param {string} node */
export async function buildWeb(node) {
  await step("Building the console", () => npm(["run", "build", "-w", "@waymark/web"], { node, cwd: root }));
  writeFileSync(stampFile, stamp());
}

// The console is made of its own files, the shared models and the locked packages.
function stamp() {
  const hash = createHash("sha256");
  const add = (file) => hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
  for (const file of filesBelow("web", (name) => name !== "dist" && name !== "node_modules")) add(file);
  for (const file of filesBelow("packages/shared/src", () => true)) {
    if (file.endsWith("schema.ts")) add(file);
  }
  add("package-lock.json");
  return `${hash.digest("hex")}\n`;
}

/** @param {string} folder @param {(name: string) => boolean} isWanted @returns {string[]} */
function filesBelow(folder, isWanted) {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => isWanted(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(name, isWanted) : [name];
    });
}
