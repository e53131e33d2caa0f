import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";

/**
 * Packs the command as it is published, and unpacks it into a folder. Gives the file that its users run.
 * @param checkout where the command was built
 */
export async function unpackWaymark(folder: string, checkout = root): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const run = promisify(execFile);
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: path.join(checkout, "cli"),
  });
  await run("tar", ["-xzf", path.join(folder, stdout.trim().split("\n").at(-1) ?? ""), "-C", folder]);
  return path.join(folder, "package/bin/waymark.mjs");
}
