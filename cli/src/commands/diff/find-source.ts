import nodePath from "node:path";
import type { CliContext } from "../../framework/context.ts";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { printable } from "../../lib/text.ts";
import { isUuid } from "../../lib/uuid.ts";
import { filesOnDisk, LOCAL_SPEC_BYTES_MAX, type SpecFiles } from "../../openapi/read-source.ts";
import { findRevisionFile } from "./revision-files.ts";

/** The name of a side that is the service's current run. */
const CURRENT = "current";

/** The place that one of the two descriptions comes from. */
export interface DiffSource {
  kind: "disk" | "stdin" | "revision" | "url" | "run";
  /** The path, relative to the working directory. */
  spec: string;
  files: SpecFiles;
  /** The text before the names of files in messages, such as `main:`. */
  prefix: string;
}

/** Reads what is on no disk. */
export interface RemoteReaders {
  /** Reads the description of a run of the server. @param run its id; undefined for the service's current one */
  readRun: (run: string | undefined) => Promise<Buffer>;
  readUrl: (url: URL) => Promise<Buffer>;
}

/**
 * Finds one of the two descriptions: `-`, `current`, a run's id, an address, `REV:path` or a file. `current` and an id are never files: a
 * pull request could add a file of that name. `./current` is one.
 *
 * @throws {CliError}
 */
export async function findSource(
  { cwd, env }: Pick<CliContext, "cwd" | "env">,
  name: string,
  remote: RemoteReaders,
): Promise<DiffSource> {
  if (name === STDIN_NAME)
    return { kind: "stdin", spec: name, files: filesOnDisk(LOCAL_SPEC_BYTES_MAX), prefix: "" };
  if (isOnServer(name)) {
    const bytes = await remote.readRun(name === CURRENT ? undefined : name);
    return { kind: "run", spec: name, files: oneFile(cwd, name, bytes), prefix: "" };
  }
  if (/^https?:\/\//i.test(name)) {
    if (!URL.canParse(name)) throw usageError(`${printable(name, 200)} is no address.`);
    const url = new URL(name);
    const bytes = await remote.readUrl(url);
    const shown = shownAddress(url);
    return { kind: "url", spec: shown, files: oneFile(cwd, shown, bytes), prefix: "" };
  }
  const revision = await findRevisionFile(name, { cwd, env, bytesMax: LOCAL_SPEC_BYTES_MAX });
  if (revision === undefined)
    return { kind: "disk", spec: name, files: filesOnDisk(LOCAL_SPEC_BYTES_MAX), prefix: "" };
  const prefix = name.slice(0, name.indexOf(":") + 1);
  return {
    kind: "revision",
    spec: nodePath.relative(cwd, revision.file),
    files: revision.files,
    prefix,
  };
}

/** True for a description that the server has. */
export function isOnServer(name: string): boolean {
  return name === CURRENT || isUuid(name);
}

/** An address without its query, which can have a token. */
export function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** A description that has one file: what it refers to in others is not read. */
function oneFile(cwd: string, name: string, bytes: Buffer): SpecFiles {
  const own = nodePath.resolve(cwd, name);
  return {
    read: async (file, shown) => {
      if (file === own) return bytes;
      throw usageError(`Can't read ${shown}: of ${printable(name, 200)}, only the file itself is read.`);
    },
    isInside: async () => true,
  };
}
