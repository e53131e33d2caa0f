import { stat } from "node:fs/promises";
import path from "node:path";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { FileError, type Files, openFiles } from "@waymark/journeys/load/files.ts";
import { baseLink, type DocumentLink, linksOf, referenceLinks } from "@waymark/journeys/load/links.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { documentKind } from "@waymark/shared/journeys/document-kind.ts";
import type { DocumentKind } from "@waymark/shared/journeys/document-kind.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { whyNotShared } from "../../../lib/inside-folder.ts";
import { readText } from "../../../lib/read-text.ts";
import { relativePath } from "../../../lib/workspace-root.ts";
import { parseDocument as parseDescription } from "../../../openapi/parse-document.ts";
import { documentsBelow } from "../files/files-below.ts";
import { sha256 } from "../files/hash.ts";

/** A file of the working directory as it is pushed. */
export interface LocalFile {
  /** Relative to the working directory, with slashes. */
  path: string;
  text: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: string;
  kind: DocumentKind;
}

export interface CollectedFiles {
  /** The files, by path. */
  files: Map<string, LocalFile>;
  /** References to files that are not there or outside of the working directory. */
  notes: string[];
}

const JOURNEY_FILE = /[.](journey|arazzo|overlay)[.](ya?ml|json)$/i;

/** Reads the named files, the journeys and overlays below the named folders, and everything that they refer to. */
export async function collectFiles(
  context: Pick<CliContext, "cwd" | "openStdin">,
  names: readonly string[],
): Promise<CollectedFiles> {
  const { cwd } = context;
  const found: CollectedFiles = { files: new Map(), notes: [] };
  const queue: string[] = [];
  for (const name of names) queue.push(...(await namedFiles(cwd, name, found.notes)));
  const seen = new Set(queue);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const file = await readLocal(context, next);
    found.files.set(next, file);
    for (const link of await linksIn(cwd, file)) {
      if (link.path === undefined || seen.has(link.path)) continue;
      seen.add(link.path);
      const refusal = await whyNotPushed(cwd, link.path);
      if (refusal === undefined) queue.push(link.path);
      else found.notes.push(`${next} refers to ${link.target}, which ${refusal}.`);
    }
  }
  return found;
}

/** A file as it is pushed. @throws {CliError} where it can't be read or is no text */
export async function readLocal(
  context: Pick<CliContext, "cwd" | "openStdin">,
  file: string,
): Promise<LocalFile> {
  const text = await readText(context, file, { bytesMax: JOURNEY_LIMITS.descriptionBytesMax, keepBom: true });
  return { path: file, text, hash: sha256(text), kind: documentKind(file, text) };
}

/**
 * The files of a name on the command line. Below a folder, links to folders outside of the working directory are not followed.
 * @throws {CliError} for a file or folder that is outside of the working directory or hidden, by its path or by its
 * links: other users can read pushed files
 */
async function namedFiles(cwd: string, name: string, notes: string[]): Promise<string[]> {
  const absolute = path.resolve(cwd, name);
  refuseUnshared(cwd, name);
  const found = await stat(absolute).catch(() => undefined);
  if (found === undefined) throw usageError(`Can't read ${name}: there is no such file or folder.`);
  if (found.isFile()) return [relativePath(cwd, absolute)];
  if (!found.isDirectory())
    throw usageError(`${name} is neither a file nor a folder, so it can't be pushed.`);
  const files = documentsBelow(cwd, absolute, {
    pattern: JOURNEY_FILE,
    followsFolder: (link) => {
      const why = whyNotShared(link, cwd);
      if (why !== undefined) notes.push(`${relativePath(cwd, link)} ${why}, so nothing below it is pushed.`);
      return why === undefined;
    },
  });
  for (const file of files) refuseUnshared(cwd, file);
  return files;
}

function refuseUnshared(cwd: string, name: string): void {
  const why = whyNotShared(path.resolve(cwd, name), cwd);
  if (why === undefined) return;
  throw usageError(
    `${name} ${why}, so nothing was pushed: a push sends only files of the working directory, and no hidden ones.`,
  );
}

/** Returns the reason why a file that a document refers to is not pushed; undefined if it is. */
async function whyNotPushed(cwd: string, file: string): Promise<string | undefined> {
  const absolute = path.resolve(cwd, file);
  return (await isFile(absolute)) ? whyNotShared(absolute, cwd) : "is not a file of this folder";
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Returns the links of a file; none for a file that can't be parsed, because the server reports its faults. */
async function linksIn(cwd: string, { path: file, text, kind }: LocalFile): Promise<DocumentLink[]> {
  if (kind === "overlay") return baseLink(parseOverlay(text, { file }).raw, file);
  if (kind === "journey") {
    const value = parseDocument(text, { file }).raw;
    return linksOf(filesOf(cwd), { value, path: file });
  }
  const parsed = await parseDescription(text, file).catch(() => undefined);
  return parsed === undefined ? [] : referenceLinks(parsed.value, file);
}

/** Returns files that exist or not, without contents: a reference can mean one of two places. */
function filesOf(cwd: string): Files {
  return openFiles({
    // The caller only asks whether the file exists.
    read: async (file) => ((await isFile(path.resolve(cwd, file))) ? new Uint8Array() : undefined),
    parse: () => {
      throw new FileError("nothing is parsed here");
    },
  });
}
