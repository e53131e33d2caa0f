import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { usageError } from "./cli-error.ts";
import { describeFileError } from "./describe-file-error.ts";

/** Links between folders can multiply paths, so that a walk has to end by its own count. */
const FOLDERS_MAX = 100_000;

export interface FilesBelowOptions {
  /** The depth of folders in which files are found: 1 for the folder itself. */
  depthMax?: number;
  /** True if a link to a folder is followed, from its path. Default: yes. */
  followsFolder?: (link: string) => boolean;
}

interface Folder {
  folder: string;
  depth: number;
  /** The real paths of this folder and of those that it was reached through. */
  chain: readonly string[];
}

/**
 * The absolute paths of the files below a folder. Hidden names and node_modules are left out. Symbolic links are followed as a shell's
 * pattern does: a link to a folder that contains the link is not, and a link that leads nowhere counts as a file, so that reading it
 * tells what is wrong.
 * @throws {CliError} for a folder that can't be listed
 */
export function filesBelow(base: string, options: FilesBelowOptions = {}): string[] {
  const { depthMax = Number.POSITIVE_INFINITY, followsFolder = () => true } = options;
  const files: string[] = [];
  const folders: Folder[] = [{ folder: base, depth: 1, chain: [realPathOf(base)] }];
  let listed = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, depth, chain } = next;
    if (++listed > FOLDERS_MAX) throw usageError(`There are more than ${FOLDERS_MAX} folders below ${base}.`);
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const each = path.join(folder, entry.name);
      const kind = kindOf(each, entry);
      if (kind === "file") files.push(each);
      if (kind !== "folder" || depth >= depthMax) continue;
      const isLink = entry.isSymbolicLink();
      if (isLink && !followsFolder(each)) continue;
      const real = isLink ? realPathOf(each) : path.join(chain.at(-1) ?? folder, entry.name);
      if (!chain.includes(real)) folders.push({ folder: each, depth: depth + 1, chain: [...chain, real] });
    }
  }
  return files;
}

function kindOf(file: string, entry: Dirent): "file" | "folder" | "other" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (!entry.isSymbolicLink()) return "other";
  try {
    const target = statSync(file);
    if (target.isDirectory()) return "folder";
    return target.isFile() ? "file" : "other";
  } catch (error) {
    if (error instanceof Error && "code" in error) return "file";
    throw error;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw usageError(`Can't list the folder ${folder}: ${describeFileError(error)}.`, { cause: error });
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    throw usageError(`Can't list the folder ${folder}: ${describeFileError(error)}.`, { cause: error });
  }
}
