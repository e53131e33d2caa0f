import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { type Environment, given } from "./config.ts";

/**
 * The folder that the paths of a report are relative to: the root of the repository that has the given folder. In CI it is the
 * outermost one within the workspace, because a submodule's files belong to the repository around it.
 * @param folder absolute
 * @param cwd the result outside of any repository
 */
export function workspaceRoot(env: Environment, { folder, cwd }: { folder: string; cwd: string }): string {
  const named = given(env["GITHUB_WORKSPACE"]) ?? given(env["CI_PROJECT_DIR"]);
  // One of the two may be named through a symbolic link.
  const places = [
    { inner: folder, workspace: path.resolve(named ?? "/") },
    { inner: realPathOf(folder), workspace: realPathOf(named ?? "/") },
  ];
  const found = named === undefined ? undefined : places.find((each) => isInside(each.inner, each.workspace));
  const { inner, workspace } = found ?? { inner: folder, workspace: undefined };
  const repositories = ancestors(inner, workspace).filter((each) => existsSync(path.join(each, ".git")));
  return (workspace === undefined ? repositories[0] : repositories.at(-1)) ?? workspace ?? cwd;
}

/** A folder and those around it, up to one of them. */
function ancestors(folder: string, last: string | undefined): string[] {
  const parent = path.dirname(folder);
  return folder === last || parent === folder ? [folder] : [folder, ...ancestors(parent, last)];
}

function isInside(folder: string, outer: string): boolean {
  const relative = path.relative(outer, folder);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * A file's path as a report has it: relative to the workspace's root. A file that only its real path has below the root, because one of
 * the two is named through a symbolic link, has that path.
 */
export function reportPath(root: string, file: string): string {
  if (isInside(file, root)) return relativePath(root, file);
  const [realRoot, realFile] = [realPathOf(root), realPathOf(file)];
  return isInside(realFile, realRoot) ? relativePath(realRoot, realFile) : relativePath(root, file);
}

/** The path itself if there is no such file. */
function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (error instanceof Error && "code" in error) return path.resolve(file);
    throw error;
  }
}

/** A file's path relative to a folder, with slashes on every system. */
export function relativePath(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join("/");
}
