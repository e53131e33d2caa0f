import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const INSTALL_MS = 300_000;

/**
 * Installs a published package once, in a folder of its own: what Waymark is held against must not weigh on those who
 * only build it. Its scripts don't run.
 * @returns the folder of the package
 * @throws Error when npm can't install it
 */
export async function installPeer(name: string, version: string): Promise<string> {
  const folder = path.join(root, ".waymark/peers", `${name.replaceAll("/", "+")}@${version}`);
  const installed = path.join(folder, "node_modules", name);
  if (!existsSync(path.join(installed, "package.json"))) {
    mkdirSync(folder, { recursive: true });
    process.stderr.write(`  installing ${name} ${version} …\n`);
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder];
    await promisify(execFile)("npm", ["install", ...options, `${name}@${version}`], { timeout: INSTALL_MS });
  }
  return installed;
}
