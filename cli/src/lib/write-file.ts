import { randomBytes } from "node:crypto";
import { mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { usageError } from "./cli-error.ts";
import { describeFileError } from "./describe-file-error.ts";

/**
 * Writes a file atomically, and keeps its permissions. For a symbolic link, it replaces the target.
 * @throws {CliError} if it can't be written
 */
export async function replaceFile(cwd: string, name: string, text: string): Promise<void> {
  const file = path.resolve(cwd, name);
  await explained(name, async () => {
    const target = await realpath(file).catch(() => file);
    const mode = await stat(target).then(
      (stats) => stats.mode & 0o777,
      () => undefined,
    );
    const temporary = path.join(
      path.dirname(target),
      `.${path.basename(target)}.${randomBytes(6).toString("hex")}`,
    );
    try {
      await written(temporary, text, { flag: "wx", mode });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/**
 * Creates a file, and the folders that it is in.
 * @throws {CliError} if it exists or can't be written
 */
export async function createFile(
  cwd: string,
  name: string,
  { text, force }: { text: string; force: boolean },
): Promise<void> {
  const file = path.resolve(cwd, name);
  await explained(name, () => makeFolder(path.dirname(file)), {
    EEXIST: "a part of the path is not a directory",
  });
  if (force) return replaceFile(cwd, name, text);
  await explained(name, () => written(file, text, { flag: "wx", mode: undefined }));
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
}

async function written(
  file: string,
  text: string,
  { flag, mode }: { flag: string; mode: number | undefined },
): Promise<void> {
  const handle = await open(file, flag);
  try {
    await handle.writeFile(text);
    if (mode !== undefined) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

async function explained(
  name: string,
  write: () => Promise<void>,
  words: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw usageError(`Can't write ${name}: ${describeFileError(error, { ...WHEN_WRITING, ...words })}.`, {
      cause: error,
    });
  }
}

const WHEN_WRITING = {
  EEXIST: "it exists already; --force replaces it",
  ENOENT: "there is no such directory",
  EROFS: "the file system is read-only",
};
