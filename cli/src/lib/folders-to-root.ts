import { existsSync } from "node:fs";
import path from "node:path";

/** Returns a folder and those above it, up to the root of its repository; outside of a repository, the folder alone. */
export function foldersToRoot(start: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(start); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (path.dirname(folder) === folder) return folders.slice(0, 1);
  }
}
