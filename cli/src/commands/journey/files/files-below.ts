import { stat } from "node:fs/promises";
import path from "node:path";
import { usageError } from "../../../lib/cli-error.ts";
import { filesBelow, type FilesBelowOptions } from "../../../lib/files-below.ts";
import { relativePath } from "../../../lib/workspace-root.ts";

const FILES_MAX = 10_000;
const JOURNEY = /[.](journey|arazzo)[.](ya?ml|json)$/i;

/** The documents below a folder whose names match, sorted, relative to the working directory. */
export function documentsBelow(
  cwd: string,
  folder: string,
  { pattern, ...options }: FilesBelowOptions & { pattern: RegExp },
): string[] {
  const files = filesBelow(folder, options).filter((file) => pattern.test(path.basename(file)));
  if (files.length > FILES_MAX)
    throw usageError(`There are more than ${FILES_MAX} journeys below ${folder}.`);
  return files.map((file) => relativePath(cwd, file)).toSorted();
}

/**
 * The journeys of a command line: a folder stands for the journeys and Arazzo documents below it. Overlays are named themselves,
 * because not every overlay can run.
 * @throws {CliError} for a folder without journeys
 */
export async function journeyFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const name of names) {
    const absolute = path.resolve(cwd, name);
    const found = await stat(absolute).catch(() => undefined);
    // A name that is missing or unreadable fails later, when the file is read.
    if (found?.isDirectory() !== true) {
      files.push(name);
      continue;
    }
    const below = documentsBelow(cwd, absolute, { pattern: JOURNEY });
    if (below.length === 0) {
      throw usageError(
        `There are no journeys below ${name}: their names end in .journey.yaml, .journey.json, .arazzo.yaml or .arazzo.json.`,
      );
    }
    files.push(...below);
  }
  return files;
}
