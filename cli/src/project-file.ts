import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { usageError } from "./lib/cli-error.ts";
import type { ProjectFile } from "./parse-project-file.ts";

/** The name of the file in the working directory that holds what a team does not want to repeat. */
const PROJECT_FILE = "waymark.yaml";

/** A link to a device never ends. */
const BYTES_MAX = 1024 * 1024;

/**
 * Reads `waymark.yaml` of a folder; no file is an empty one.
 * @throws {CliError} that names every unknown or wrong field, an API key most of all
 */
export async function readProjectFile(folder: string): Promise<ProjectFile> {
  const file = path.join(folder, PROJECT_FILE);
  if (!existsSync(file)) return {};
  let text: string;
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > BYTES_MAX) {
      throw new Error(`it must be a file of at most ${BYTES_MAX} bytes`);
    }
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`Can't read ${PROJECT_FILE}: ${error instanceof Error ? error.message : "unknown"}.`, {
      cause: error,
    });
  }
  // YAML and zod take 40 ms to load.
  const { parseProjectFile } = await import("./parse-project-file.ts");
  return parseProjectFile(text, PROJECT_FILE);
}
