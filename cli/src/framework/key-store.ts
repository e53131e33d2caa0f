import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import path from "node:path";
import { type Environment, given } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { writePrivateFile } from "../lib/write-private-file.ts";
import { userFolder } from "./user-folder.ts";

// The keys of `waymark login`, in a file for each server. The system's keyring would need a native module, and the package
// has none.

export interface StoredKey {
  apiKey: string;
  file: string;
}

const KEY_BYTES_MAX = 10_000;

/**
 * The file for the key of a server: below XDG_CONFIG_HOME, otherwise ~/.config, on Windows APPDATA. Undefined without a home, as
 * some containers are, and for an address that is none.
 */
export function keyFileOf(env: Environment, apiUrl: string): string | undefined {
  const folder = userFolder(env, "config");
  if (folder === undefined || !URL.canParse(apiUrl)) return undefined;
  const { protocol, host, pathname } = new URL(apiUrl);
  const server = `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
  return path.join(folder, "waymark", "keys", `${encodeURIComponent(server)}.key`);
}

/**
 * Reads the key that is stored for a server. Undefined if there is none.
 * @throws {CliError} if it can't be read, or others can read it
 */
export function readStoredKey(env: Environment, apiUrl: string): StoredKey | undefined {
  const file = keyFileOf(env, apiUrl);
  if (file === undefined) return undefined;
  try {
    const text = readPrivate(file);
    const apiKey = given(text);
    if (apiKey === undefined)
      throw usageError(`The stored API key in ${file} is empty: run waymark login again.`);
    return { apiKey, file };
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    if ("code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw usageError(`Can't read the stored API key in ${file}: ${describeFileError(error)}.`, {
      cause: error,
    });
  }
}

function readPrivate(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > KEY_BYTES_MAX) {
      throw usageError(
        `The stored API key in ${file} is not a file with a key: remove it and run waymark login again.`,
      );
    }
    // Windows has no such bits: the folder is the user's own there.
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
      throw usageError(
        `The stored API key in ${file} is not used, because other users can read the file. Replace the key, and run waymark login again.`,
      );
    }
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** Stores a key, readable only by the user. Returns its file. @throws {CliError} if there is no home or it can't be written */
export async function storeKey(env: Environment, apiUrl: string, apiKey: string): Promise<string> {
  const file = keyFileOf(env, apiUrl);
  if (file === undefined) {
    throw usageError("There is no home folder to keep the API key in: set HOME, or use SERVICE_API_KEY.");
  }
  try {
    await writePrivateFile(file, `${apiKey}\n`);
  } catch (error) {
    throw usageError(`Can't store the API key in ${file}: ${describeFileError(error)}.`, { cause: error });
  }
  return file;
}

/** Removes the stored key of a server. @returns its file, or undefined if there was none */
export async function removeStoredKey(env: Environment, apiUrl: string): Promise<string | undefined> {
  const file = keyFileOf(env, apiUrl);
  if (file === undefined) return undefined;
  try {
    await unlink(file);
    return file;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`Can't remove the stored API key in ${file}: ${describeFileError(error)}.`, {
      cause: error,
    });
  }
}
