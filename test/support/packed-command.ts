import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { withFileLock } from "../../scripts/bootstrap/file-lock.mjs";
import "./provided.ts";

/**
 * The packed file of the command, as it is published. It is made once in a test run: `npm pack` builds cli/dist, and another build
 * at the same time would change what it packs.
 */
export async function packedCommand(): Promise<string> {
  const folder = inject("packFolder");
  const find = async () => (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  return withFileLock(path.join(folder, "lock"), {}, async () => {
    if ((await find()) === undefined) {
      const pack = ["pack", "--silent", "--ignore-scripts=false", "--pack-destination", folder];
      await promisify(execFile)("npm", pack, { cwd: path.join(root, "cli") });
    }
    const name = await find();
    if (name === undefined) throw new Error("npm pack made no file");
    return path.join(folder, name);
  });
}
