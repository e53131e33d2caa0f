import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { given } from "../lib/config.ts";
import type { CliContext } from "./context.ts";
import { usageError } from "../lib/cli-error.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { foldersToRoot } from "../lib/folders-to-root.ts";
import type { ProjectFile } from "./parse-project-file.ts";

/** The name of the settings file in the working directory or a folder above it. */
export const PROJECT_FILE = "waymark.yaml";

/** A link to a device never ends. */
const BYTES_MAX = 1024 * 1024;

/** The part of the context that determines which file has the settings. */
export type ProjectContext = Pick<CliContext, "cwd" | "configFile">;

/**
 * The file with the settings: that of `--config`, otherwise the nearest `waymark.yaml` from the working directory up to the root of
 * its repository. Outside of a repository, only the working directory counts: folders above it may belong to others.
 */
export function findProjectFile({ cwd, configFile }: ProjectContext): string | undefined {
  if (configFile !== undefined) return path.resolve(cwd, configFile);
  return foldersToRoot(cwd)
    .map((folder) => path.join(folder, PROJECT_FILE))
    .find((file) => existsSync(file));
}

/**
 * Reads the settings; no file is an empty one. Paths in it are relative to its folder, and are returned relative to the working
 * directory.
 * @throws {CliError} that names every unknown or wrong field, an API key most of all
 */
export async function readProjectFile(context: ProjectContext): Promise<ProjectFile> {
  const file = findProjectFile(context);
  if (file === undefined) return {};
  const name = path.relative(context.cwd, file);
  const text = readSettings(file, name);
  // YAML and zod take 40 ms to load.
  const { parseProjectFile } = await import("./parse-project-file.ts");
  const { spec, rules, services, ...settings } = parseProjectFile(text, name);
  const here = (named = "") => path.relative(context.cwd, path.resolve(path.dirname(file), named));
  return {
    ...settings,
    ...(given(spec) === undefined ? {} : { spec: spec === STDIN_NAME ? spec : here(spec) }),
    ...(services === undefined
      ? {}
      : { services: services.map((each) => ({ ...each, spec: here(each.spec) })) }),
    ...(given(rules) === undefined ? {} : { rules: here(rules) }),
  };
}

function readSettings(file: string, name: string): string {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > BYTES_MAX) {
      throw new Error(`it must be a file of at most ${BYTES_MAX} bytes`);
    }
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`Can't read ${name}: ${describeFileError(error)}.`, { cause: error });
  }
}
