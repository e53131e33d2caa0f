import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { isAbsolutePath, isAddress } from "./file-path.ts";

/**
 * Returns the real paths of the files that a report may mean by a path. A relative one is looked for in the root of the repository and
 * in the working directory. An absolute one that is not there is of another machine or container, and the longest end of it that the
 * repository has is taken.
 */
export function localFiles(named: string, { root, cwd }: { root: string; cwd: string }): string[] {
  const folders = [...new Set([root, cwd])];
  if (isAddress(named) && !isAbsolutePath(named)) return [];
  if (!isAbsolutePath(named)) return existing(folders.map((folder) => path.resolve(folder, named)));
  const found = existing([path.resolve(named)]);
  if (found.length > 0) return found;
  const parts = named.split("/").filter((part) => part !== "");
  for (let from = 1; from < parts.length; from++) {
    const ends = existing(folders.map((folder) => path.join(folder, ...parts.slice(from))));
    if (ends.length > 0) return ends;
  }
  return [];
}

function existing(files: readonly string[]): string[] {
  return [...new Set(files.filter((file) => existsSync(file)).map(realPathOf))];
}

/** Returns the path behind links; the path itself if there is no such file. */
export function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (error instanceof Error && "code" in error) return file;
    throw error;
  }
}
