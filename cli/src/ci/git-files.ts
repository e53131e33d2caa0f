import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Checkout } from "./checkout.ts";

const PARENTS_MAX = 50;
const COMMIT = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/;

/**
 * Reads a checkout's branch and commit from its files, for machines without git. It knows less than git does: what
 * these few files don't say is undefined.
 */
export async function readGitFiles(cwd: string): Promise<Checkout | undefined> {
  const folder = await findGitFolder(cwd);
  if (folder === undefined) return undefined;
  const read = (name: string) => readFile(path.join(folder, name), "utf8").catch(() => undefined);
  // The folder of a worktree names the one that it shares its refs with.
  const shared = path.resolve(folder, (await read("commondir"))?.trim() ?? ".");
  const readShared = (name: string) => readFile(path.join(shared, name), "utf8").catch(() => undefined);
  const head = (await read("HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
  // A repository with the reftable format has this name instead of the branch.
  const branch = ref === "refs/heads/.invalid" ? undefined : ref?.slice("refs/heads/".length);
  const commit = branch === undefined ? head : await commitOf(ref ?? "", readShared);
  return {
    branch,
    commit: commit !== undefined && COMMIT.test(commit) ? commit : undefined,
    origin: /^\[remote "origin"\]$(?:\n(?!\[).*)*?\n\s*url\s*=\s*(\S+)/m.exec(
      (await readShared("config")) ?? "",
    )?.[1],
    defaultBranch: /^ref: refs\/remotes\/origin\/(.+)$/m.exec(
      (await readShared("refs/remotes/origin/HEAD")) ?? "",
    )?.[1],
  };
}

async function commitOf(
  ref: string,
  read: (name: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const loose = await read(ref);
  if (loose !== undefined) return loose.trim();
  const packed = (await read("packed-refs")) ?? "";
  return packed
    .split("\n")
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(" ")[0];
}

async function findGitFolder(cwd: string): Promise<string | undefined> {
  let folder = path.resolve(cwd);
  for (let parents = 0; parents < PARENTS_MAX; parents++) {
    const candidate = path.join(folder, ".git");
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isDirectory() === true) return candidate;
    if (found?.isFile() === true) {
      // In worktrees and submodules, .git is a file that names the folder.
      const named = /^gitdir: (.+)$/m.exec(await readFile(candidate, "utf8").catch(() => ""))?.[1];
      return named === undefined ? undefined : path.resolve(folder, named.trim());
    }
    if (path.dirname(folder) === folder) return undefined;
    folder = path.dirname(folder);
  }
  return undefined;
}
