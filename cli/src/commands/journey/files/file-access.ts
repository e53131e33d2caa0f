import path from "node:path";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { FileError } from "@waymark/journeys/load/files.ts";
import type { FileAccess } from "@waymark/journeys/load/files.ts";
import type { CliContext } from "../../../framework/context.ts";
import { CliError, usageError } from "../../../lib/cli-error.ts";
import { isInsideFolder } from "../../../lib/inside-folder.ts";
import { readBytes } from "../../../lib/read-text.ts";
import { parseDocument } from "../../../openapi/parse-document.ts";
import { sha256 } from "./hash.ts";
import { limitGarbage } from "./limit-garbage.ts";
import { displayPath, fileOfRootPath, STDIN_SHOWN } from "./names.ts";

/**
 * Parsed descriptions, by the names of their files. The journeys of one command share them, because parsing takes most of the
 * time of a journey with a large description, 5 s for 2.5 MB.
 */
export type ParsedDescriptions = Map<string, { text: string; document: ParsedDocument }>;

/**
 * Gives the loader of journeys access to this machine's files. A description may refer to files in its folder and in the
 * working directory; links don't change that.
 */
export function fileAccess(
  context: Pick<CliContext, "cwd" | "openStdin">,
  parsed: ParsedDescriptions = new Map(),
): FileAccess {
  const { cwd } = context;
  const show = (file: string) => displayPath(cwd, fileOfRootPath(file));
  return {
    show,
    hash: sha256,
    read: async (file, bytesMax) => {
      const shown = show(file);
      const name = shown === STDIN_SHOWN ? "-" : shown;
      try {
        const bytes = await readBytes(context, name, { bytesMax });
        await limitGarbage(bytes);
        return bytes;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw asFileError(error);
      }
    },
    parse: async (text, shown) => {
      const known = parsed.get(shown);
      if (known?.text === text) return known.document;
      try {
        const document = await parseDocument(text, shown);
        parsed.set(shown, { text, document });
        return document;
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

/** Converts the loader's errors. @throws {CliError} */
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
