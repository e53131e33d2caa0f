import path from "node:path";
import { FileError } from "@waymark/journeys/load/files.ts";
import type { FileAccess } from "@waymark/journeys/load/files.ts";
import type { CliContext } from "../../../context.ts";
import { CliError, usageError } from "../../../lib/cli-error.ts";
import { isInsideFolder } from "../../../lib/inside-folder.ts";
import { readBytes } from "../../../lib/read-text.ts";
import { parseDocument } from "../../../openapi/parse-document.ts";
import { sha256 } from "./hash.ts";
import { displayPath, fileOfRootPath, STDIN_SHOWN } from "./names.ts";

/**
 * Descriptions that were parsed, by the names of their files. Shared by the journeys of one command: parsing is most of the time that
 * a journey over a large description takes, 5 s for one of 2.5 MB.
 */
export type ParsedDescriptions = Map<string, { text: string; value: unknown }>;

/**
 * The files of this machine for the loader of journeys. A description may refer to files in its folder and in the working
 * directory, wherever links lead.
 */
export function fileAccess(
  context: Pick<CliContext, "cwd" | "stdin">,
  parsed: ParsedDescriptions = new Map(),
): FileAccess {
  const { cwd } = context;
  const show = (file: string) => displayPath(cwd, fileOfRootPath(file));
  return {
    show,
    hash: sha256,
    read: (file, bytesMax) => {
      const shown = show(file);
      const name = shown === STDIN_SHOWN ? "-" : shown;
      return readBytes(context, name, { bytesMax }).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw asFileError(error);
      });
    },
    parse: async (text, shown) => {
      const known = parsed.get(shown);
      if (known?.text === text) return known.value;
      try {
        const { value } = await parseDocument(text, shown);
        parsed.set(shown, { text, value });
        return value;
      } catch (error) {
        throw asFileError(error);
      }
    },
    isAllowed: async (file, description) => {
      const target = fileOfRootPath(file);
      const folder = path.dirname(fileOfRootPath(description));
      return (await isInsideFolder(target, folder)) || isInsideFolder(target, cwd);
    },
  };
}

/** @throws {CliError} for what the loader says of files */
export async function asUsageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw usageError(error.message, { cause: error, details: error.details });
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof CliError) || !(error.cause instanceof Error)) return false;
  return "code" in error.cause && error.cause.code === "ENOENT";
}

function asFileError(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  return new FileError(error.message, { cause: error, details: error.details });
}
