import { existsSync } from "node:fs";
import path from "node:path";
import { type Environment, given } from "../config.ts";

/**
 * The folder that the paths of a report are relative to: the root of the repository that has the given folder. In CI it is the
 * outermost one within the workspace, because a submodule's files belong to the repository around it.
 * @param folder absolute
 * @param cwd the result outside of any repository
 */
export function workspaceRoot(env: Environment, { folder, cwd }: { folder: string; cwd: string }): string {
  const named = given(env["GITHUB_WORKSPACE"]) ?? given(env["CI_PROJECT_DIR"]);
  const workspace = named !== undefined && isInside(folder, named) ? path.resolve(named) : undefined;
  const repositories = ancestors(folder, workspace).filter((each) => existsSync(path.join(each, ".git")));
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

/** A file's path relative to a folder, with slashes on every system. */
export function relativePath(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join("/");
}
