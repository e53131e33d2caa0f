import path from "node:path";
import type { RootPath } from "@waymark/journeys/load/paths.ts";

/** What standard input is called in messages and artifacts. */
export const STDIN_SHOWN = "standard input";

/** How a file is called in every message and position: relative to the working directory, with slashes. */
export function displayPath(cwd: string, file: string): string {
  return path.relative(cwd, path.resolve(cwd, file)).replaceAll("\\", "/");
}

/** A file of the command line as the loader of journeys names it: below the root of the file system. `-` is standard input. */
export function rootPath(cwd: string, name: string): RootPath {
  const file = path.resolve(cwd, name === "-" ? STDIN_SHOWN : name);
  return path.sep === "\\" ? file.replaceAll("\\", "/").replace(/^\/+/, "") : file.slice(1);
}

/** The file that a path of the loader means. */
export function fileOfRootPath(rootFile: RootPath): string {
  if (path.sep !== "\\") return `/${rootFile}`;
  // Without a drive it is on another machine.
  return /^[a-z]:/i.test(rootFile) ? rootFile : `//${rootFile}`;
}
