import { existsSync } from "node:fs";
import path from "node:path";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { whyNotShared } from "../../../lib/inside-folder.ts";
import { type LocalFile, readLocal } from "./collect-files.ts";

/**
 * Those of these files that are there.
 * @throws {CliError} for a path, which the server may have named, that leads out of the folder or to a hidden file
 */
export async function readKnownFiles(
  context: Pick<CliContext, "cwd" | "openStdin">,
  paths: readonly string[],
): Promise<Map<string, LocalFile>> {
  const files = new Map<string, LocalFile>();
  for (const file of new Set(paths)) {
    assertShared(context.cwd, file);
    if (existsSync(path.join(context.cwd, file))) files.set(file, await readLocal(context, file));
  }
  return files;
}

/** @throws {CliError} for a document whose file would be outside of the folder or hidden */
export function assertShared(folder: string, name: string): void {
  const why = whyNotShared(path.join(folder, name), folder);
  if (why === undefined) return;
  throw usageError(
    `${name} ${why}. A document's file is neither read nor written there: remove the link, or rename the document.`,
  );
}
