import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { BuildKind } from "@waymark/shared/scans/source/schema.ts";
import { type Environment, given } from "../lib/config.ts";

/** The facts of a CI build, from the variables and files of its system. A fact that is not known is undefined. */
export interface Build {
  /** Only a build of a branch can make its run current. */
  kind: BuildKind;
  /** The author's branch, not that of a merge; `someone:main` in a fork. */
  branch?: string | undefined;
  /** The author's commit, not that of a merge. */
  commit?: string | undefined;
  /** The branch that a pull request is to be merged into. */
  baseBranch?: string | undefined;
  /** The number of the pull request. */
  pullRequest?: string | undefined;
  /** The page of the pull request. */
  pullRequestUrl?: string | undefined;
  /** The name of the commit's author, or of who made the pull request. It may have an e-mail address. */
  author?: string | undefined;
  defaultBranch?: string | undefined;
  /** True if the system itself says that this is the default branch, without its name. */
  isDefaultBranch?: boolean | undefined;
  /** The address of the repository. */
  repository?: string | undefined;
  /** The page of the build. */
  url?: string | undefined;
}

/** Reads the facts of one system's builds; `head` is the commit of the checkout, if there is one. */
export type BuildReader = (variables: Variables, head: string | undefined) => Build;

const FILE_BYTES_MAX = 32 * 1024 * 1024;

/** The variables of a build, and the files that they name. */
export class Variables {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the first of these variables that is not empty. */
  first(...names: readonly string[]): string | undefined {
    return names.map((name) => given(this.#environment[name])).find((value) => value !== undefined);
  }

  /** True if the variable is `true`, in any case, or `1`. */
  isTrue(name: string): boolean {
    return /^(?:true|1)$/i.test(given(this.#environment[name]) ?? "");
  }

  /** Returns the text of the file that a variable names; undefined if it can't be read. */
  file(name: string): string | undefined {
    const path = given(this.#environment[name]);
    return path === undefined ? undefined : textOf(path);
  }
}

/** Returns the text of a regular file of up to 32 MB; undefined if there is none. */
export function textOf(path: string): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      return size > FILE_BYTES_MAX ? undefined : readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    // A build without the file is told apart by its other facts.
    return undefined;
  }
}

/** Returns the name of a branch from a ref: `refs/heads/main`, `origin/main` and `main` are `main`. */
export function branchName(ref: string | undefined): string | undefined {
  return given(ref?.replace(/^refs\/heads\/|^(?:refs\/remotes\/)?origin\//, ""));
}

/** Returns the name of a fork's branch, with the fork's owner in front. */
export function forkBranch(owner: string | undefined, branch: string | undefined): string | undefined {
  if (branch === undefined || owner === undefined || branch.startsWith(`${owner}:`)) return branch;
  return `${owner}:${branch}`;
}

/** Returns the owner of a repository: `acme` of `acme/shop`, or of its address. */
export function ownerOf(repository: string | undefined): string | undefined {
  const parts = repository?.replace(/\.git$/, "").split(/[/:]/) ?? [];
  return given(parts.at(-2) ?? "");
}

const MERGE_QUEUE = /^gh-readonly-queue\/(.+)\/pr-(\d+)-[0-9a-f]+$/;

/**
 * Returns the facts of a branch that GitHub's merge queue made, for every system that builds it; undefined for other
 * branches.
 */
export function mergeQueueBuild(branch: string | undefined): Build | undefined {
  const match = MERGE_QUEUE.exec(branch ?? "");
  if (match === null) return undefined;
  return { kind: "merge_queue", branch, baseBranch: match[1], pullRequest: match[2] };
}

/** Returns the number at the end of a pull request's address, or a number as it is. */
export function pullRequestNumber(text: string | undefined): string | undefined {
  return /(\d+)(?:\/(?:merge|head))?\/?$/.exec(text ?? "")?.[1];
}
