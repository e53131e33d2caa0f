import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout's folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * The folders of the npm workspaces, relative to the checkout.
 * @returns {string[]}
 */
export function workspaceFolders() {
  const { workspaces } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  return workspaces.flatMap((/** @type {string} */ pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(path.join(root, parent)).map((child) => `${parent}/${child}`);
  });
}
