#!/usr/bin/env node
// Starts the bundled command. In a checkout it bundles first, when the bundle is missing or older than its sources;
// the published package has no sources and never does.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const at = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const bundle = at("../dist/main.mjs");

if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error(`waymark needs Node 20 or later, this is ${process.version}.`);
  process.exit(2);
}
if (existsSync(at("../src")) && isStale()) rebuild();
module.enableCompileCache?.();
await import(new URL("../dist/main.mjs", import.meta.url));

function isStale() {
  if (!existsSync(bundle)) return true;
  const builtAt = statSync(bundle).mtimeMs;
  const inputs = [at("../package.json"), at("../build.mjs"), at("../../package-lock.json")];
  for (const folder of ["../src", "../../packages/shared/src", "../../packages/journeys/src"].map(at)) {
    for (const name of readdirSync(folder, { recursive: true })) {
      const entry = String(name);
      if (entry.endsWith(".ts") && !entry.endsWith(".test.ts")) inputs.push(`${folder}/${entry}`);
    }
  }
  return inputs.some((file) => existsSync(file) && statSync(file).mtimeMs > builtAt);
}

function rebuild() {
  const { status, stderr } = spawnSync(process.execPath, [at("../build.mjs")], { encoding: "utf8" });
  if (status === 0) return;
  console.error(`The waymark command could not be built. Run npm install in the checkout first.\n${stderr}`);
  process.exit(4);
}
