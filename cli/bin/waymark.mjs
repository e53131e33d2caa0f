#!/usr/bin/env node
// Starts the bundled command. Loads nothing else before it: every pipeline waits for this.
import module from "node:module";

// Required, because an import of node:fs loads its streams as well.
const { existsSync, readFileSync } = module.createRequire(import.meta.url)("node:fs");
const [option, ...others] = process.argv.slice(2);
const developing = new URL("../bundle-if-stale.mjs", import.meta.url);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`waymark needs Node 20.19 or later, and this is ${process.version}. Install a newer Node.`);
  process.exitCode = 2;
} else if (option === "--version" && others.length === 0) {
  console.log(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
} else {
  // In a checkout only: the published package is always bundled.
  if (existsSync(developing)) (await import(developing)).bundleIfStale();
  module.enableCompileCache?.();
  await import(new URL("../dist/main.mjs", import.meta.url));
}
