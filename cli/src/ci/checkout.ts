import { execFile } from "node:child_process";
import { type Environment, IDENTITY_SECRETS } from "../lib/config.ts";
import { branchName } from "./build.ts";
import { readGitFiles } from "./git-files.ts";

/** The facts of the checkout that a folder is in. A fact that is not known is undefined. */
export interface Checkout {
  /** Undefined for a detached HEAD, unless it is the newest commit of exactly one branch of origin. */
  branch: string | undefined;
  commit: string | undefined;
  /** The address of the remote named origin. */
  origin: string | undefined;
  /** The branch that origin had as its default when it was cloned. */
  defaultBranch: string | undefined;
}

const TIMEOUT_MS = 5_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** No command of the repository runs, and a checkout of another user's, as in containers, is read all the same. */
export const SAFE_GIT = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "safe.directory=*",
];

/** Returns the facts of the checkout of a folder; undefined outside of checkouts. */
export async function readCheckout(cwd: string, environment: Environment): Promise<Checkout | undefined> {
  const git = gitIn(cwd, environment);
  const inside = await git("rev-parse", "--is-inside-work-tree");
  if (inside === "missing") return readGitFiles(cwd);
  if (inside !== "true") return undefined;
  const [head, commit, origin, originHead, tips] = await Promise.all([
    git("symbolic-ref", "--quiet", "HEAD"),
    git("rev-parse", "--quiet", "--verify", "HEAD^{commit}"),
    git("config", "--get", "remote.origin.url"),
    git("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"),
    git("for-each-ref", "--points-at=HEAD", "--format=%(refname)", "refs/remotes/origin"),
  ]);
  const branches = (tips ?? "").split("\n").filter((ref) => ref !== "" && ref !== "refs/remotes/origin/HEAD");
  return {
    branch: branchName(head ?? (branches.length === 1 ? branches[0] : undefined)),
    commit,
    origin,
    defaultBranch: branchName(originHead),
  };
}

/**
 * Returns the commit that the author made, where HEAD may be a merge that a CI system made of it and the base branch.
 * @param base the name of the base branch
 * @returns undefined where that can't be told
 */
export async function authorsCommit(
  cwd: string,
  environment: Environment,
  base: string | undefined,
): Promise<string | undefined> {
  const git = gitIn(cwd, environment);
  const [head, ...parents] = (await git("rev-list", "--parents", "--max-count=1", "HEAD"))?.split(" ") ?? [];
  if (head === undefined || parents.length === 1) return head;
  // A commit that a branch of the remote points at is not a merge that this build created.
  const refs = await git(
    "for-each-ref",
    "--points-at=HEAD",
    "--count=1",
    "--format=%(refname)",
    "refs/remotes",
  );
  if (refs !== undefined && refs !== "") return head;
  if (base === undefined || parents.length !== 2) return undefined;
  const isOnBase = await Promise.all(
    parents.map(
      async (parent) =>
        (await git("merge-base", "--is-ancestor", parent, `refs/remotes/origin/${base}`)) === "",
    ),
  );
  const others = parents.filter((_, index) => isOnBase[index] === false);
  return others.length === 1 ? others[0] : undefined;
}

/** Returns the name of a commit's author; undefined where git, or the commit, is missing. */
export async function authorsName(
  cwd: string,
  environment: Environment,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  // A commit that a partial clone lacks is not fetched: a scan doesn't wait for that.
  const git = gitIn(cwd, { ...environment, GIT_NO_LAZY_FETCH: "1" });
  const lines = (await git("rev-list", "--max-count=1", "--format=%aN", commit, "--"))?.split("\n");
  return lines?.[0]?.startsWith("commit ") === true ? lines[1] : undefined;
}

/** True if the second commit has the first one among its ancestors. */
export async function isAncestor(
  cwd: string,
  environment: Environment,
  commits: readonly [string, string],
): Promise<boolean> {
  return (await gitIn(cwd, environment)("merge-base", "--is-ancestor", ...commits)) === "";
}

/** Returns the environment for git: without the key and what gets one, and so that git neither asks nor writes. */
export function gitEnvironment(environment: Environment): Environment {
  const secrets: readonly string[] = ["SERVICE_API_KEY", ...IDENTITY_SECRETS];
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.includes(name)));
  return { ...env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
}

/** Returns a function that runs git: its trimmed output, undefined if it fails, "missing" if there is no git. */
function gitIn(cwd: string, environment: Environment) {
  const options = {
    cwd,
    timeout: TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    windowsHide: true,
    env: gitEnvironment(environment),
  };
  return (...args: readonly string[]): Promise<string | undefined> =>
    new Promise((resolve) => {
      execFile("git", [...SAFE_GIT, ...args], options, (error, stdout) => {
        if (error === null) resolve(stdout.replace(/\r?\n$/, ""));
        else resolve(error.code === "ENOENT" ? "missing" : undefined);
      });
    });
}
