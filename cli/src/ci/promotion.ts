import type { Source } from "./source.ts";

/** The decision whether a run becomes its service's current one. */
export interface Promotion {
  promote: boolean;
  /** The reason, as a note says it; undefined where there is nothing to say. */
  note: string | undefined;
}

/** Branches that hosts make the default one, for a pipeline that says nothing about it. */
const USUAL_DEFAULTS = ["main", "master"];
const SETTING = "defaultBranch in waymark.yaml or on the service's page";

/** True if nothing in a build says which branch is the default one, so that the server may know it. */
export function lacksDefaultBranch(source: Source): boolean {
  const { isBuild, kind, branch, defaultBranch, isDefaultBranch } = source;
  const isOpen = defaultBranch === undefined && isDefaultBranch === undefined;
  return isBuild && kind === "branch" && branch !== undefined && isOpen;
}

/**
 * Decides whether a run becomes current. In a pipeline only a run of the default branch does: what a branch, a pull
 * request or a tag describes is not what clients call. Elsewhere every run does.
 * @param asked the choice of `--promote` or `--no-promote`, if there is one
 * @param defaultBranch the default branch by `waymark.yaml`, if it has one
 */
export function decidePromotion(
  source: Source,
  {
    asked,
    defaultBranch = source.defaultBranch,
  }: { asked: boolean | undefined; defaultBranch: string | undefined },
): Promotion {
  if (asked !== undefined) return { promote: asked, note: undefined };
  if (!source.isBuild) return ofCheckout(source, defaultBranch);
  if (source.kind !== "branch") return held(describe(source));
  const { branch } = source;
  if (branch === undefined) {
    if (source.isDefaultBranch === true) return current("the default branch");
    return held("the branch of this build is unknown. Pass --promote where its runs are to become current");
  }
  const named = `branch ${branch}${source.pullRequest === undefined ? "" : ` (pull request ${source.pullRequest})`}`;
  // A name in waymark.yaml counts more than what the system takes for the default branch.
  if (source.isDefaultBranch !== undefined && defaultBranch === source.defaultBranch) {
    return source.isDefaultBranch
      ? current(`${named} is the default branch`)
      : held(`${named} is not the default branch`);
  }
  if (defaultBranch !== undefined) {
    return branch === defaultBranch
      ? current(`${named} is the default branch`)
      : held(`${named}, the default branch is ${defaultBranch}`);
  }
  if (USUAL_DEFAULTS.includes(branch)) {
    return current(
      `${named} is taken for the default branch, which is unknown. Set ${SETTING} if it is another one`,
    );
  }
  return held(`${named}, and the default branch is unknown. Set ${SETTING}, or pass --promote`);
}

function ofCheckout({ branch }: Source, defaultBranch: string | undefined): Promotion {
  const isOther = branch !== undefined && defaultBranch !== undefined && branch !== defaultBranch;
  const reason = `this checkout is of branch ${branch}, and the default branch is ${defaultBranch}`;
  return {
    promote: true,
    note: isOther ? `current, although ${reason}. --no-promote only stores a run.` : undefined,
  };
}

function describe({ kind, pullRequest, baseBranch, branch }: Source): string {
  if (kind === "pull_request")
    return pullRequest === undefined ? "a pull request" : `pull request ${pullRequest}`;
  if (kind === "merge_queue") return `the merge queue${baseBranch === undefined ? "" : ` of ${baseBranch}`}`;
  if (kind === "fork") return `${branch ?? "a branch"} of a fork`;
  return kind === "tag" ? "a tag" : "a preview or deployment";
}

function held(reason: string): Promotion {
  return { promote: false, note: `stored, not current: ${reason}.` };
}

function current(reason: string): Promotion {
  return { promote: true, note: `current: ${reason}.` };
}
