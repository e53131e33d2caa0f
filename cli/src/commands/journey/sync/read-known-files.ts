import { existsSync } from "node:fs";
import path from "node:path";
import type { CliContext } from "../../../context.ts";
import { type LocalFile, readLocal } from "./collect-files.ts";

/** Those of these files that are there. */
export async function readKnownFiles(
  context: Pick<CliContext, "cwd" | "openStdin">,
  paths: readonly string[],
): Promise<Map<string, LocalFile>> {
  const files = new Map<string, LocalFile>();
  for (const file of new Set(paths)) {
    if (existsSync(path.join(context.cwd, file))) files.set(file, await readLocal(context, file));
  }
  return files;
}
