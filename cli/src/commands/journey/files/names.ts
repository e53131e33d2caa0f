import path from "node:path";
import type { RootPath } from "@waymark/journeys/load/paths.ts";

/** The name of standard input in messages and artifacts. */
export const STDIN_SHOWN = "standard input";

/** The name of a file in messages and positions: relative to the working directory, with slashes. */
export function displayPath(cwd: string, file: string): string {
  return path.relative(cwd, path.resolve(cwd, file)).replaceAll("\\", "/");
}

/** The loader's path of a file on the command line: relative to the root of the file system. `-` is standard input. */
export function rootPath(cwd: string, name: string): RootPath {
  const file = path.resolve(cwd, name === "-" ? STDIN_SHOWN : name);
  return path.sep === "\\" ? file.replaceAll("\\", "/").replace(/^\/+/, "") : file.slice(1);
}

/** The file of a loader's path. */
export function fileOfRootPath(rootFile: RootPath): string {
  if (path.sep !== "\\") return `/${rootFile}`;
  // A path without a drive is on another machine.
  return /^[a-z]:/i.test(rootFile) ? rootFile : `//${rootFile}`;
}
