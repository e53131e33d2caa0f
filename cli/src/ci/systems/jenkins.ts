import { type Build, branchName, forkBranch, mergeQueueBuild, ownerOf, type Variables } from "../build.ts";

/**
 * Reads the builds of Jenkins: multibranch jobs, and those that the GitHub pull request builder, the GitLab plugin or
 * the Gerrit trigger started.
 */
export function jenkins(variables: Variables): Build {
  return {
    repository: variables.first("GIT_URL", "GIT_URL_1", "gitlabSourceRepoHttpUrl"),
    url: variables.first("BUILD_URL", "RUN_DISPLAY_URL"),
    isDefaultBranch: variables.isTrue("BRANCH_IS_PRIMARY") ? true : undefined,
    ...refOf(variables),
  };
}

function refOf(variables: Variables): Build {
  const commit = variables.first("GIT_COMMIT");
  return (
    multibranchChange(variables) ??
    pullRequestBuilder(variables) ??
    gitlabPlugin(variables) ??
    gerritTrigger(variables) ??
    (variables.first("TAG_NAME") === undefined ? ofBranch(variables, commit) : { kind: "tag", commit })
  );
}

function ofBranch(variables: Variables, commit: string | undefined): Build {
  const ref = variables.first("BRANCH_NAME", "GIT_LOCAL_BRANCH", "GIT_BRANCH");
  if (ref?.startsWith("refs/tags/") === true) return { kind: "tag", commit };
  const branch = ref === "detached" ? undefined : branchName(ref);
  const queued = mergeQueueBuild(branch);
  return queued === undefined ? { kind: "branch", branch, commit } : { ...queued, commit };
}

function multibranchChange(variables: Variables): Build | undefined {
  const number = variables.first("CHANGE_ID");
  if (number === undefined) return undefined;
  const fork = variables.first("CHANGE_FORK");
  const owner = fork?.includes("/") === true ? ownerOf(fork) : fork;
  return {
    kind: "pull_request",
    branch: forkBranch(owner, variables.first("CHANGE_BRANCH")),
    // GIT_COMMIT may be a merge: only a checkout can tell.
    baseBranch: variables.first("CHANGE_TARGET"),
    pullRequest: number,
    pullRequestUrl: variables.first("CHANGE_URL"),
    author: variables.first("CHANGE_AUTHOR_DISPLAY_NAME", "CHANGE_AUTHOR"),
  };
}

function pullRequestBuilder(variables: Variables): Build | undefined {
  const number = variables.first("ghprbPullId");
  if (number === undefined) return undefined;
  const owner = variables.first("ghprbPullAuthorLogin");
  const source = ownerOf(variables.first("ghprbAuthorRepoGitUrl"));
  const target = ownerOf(variables.first("ghprbGhRepository"));
  const isFork = source !== undefined && target !== undefined && source !== target;
  const branch = variables.first("ghprbSourceBranch");
  return {
    kind: "pull_request",
    branch: isFork ? forkBranch(source ?? owner, branch) : branch,
    commit: variables.first("ghprbActualCommit"),
    baseBranch: variables.first("ghprbTargetBranch"),
    pullRequest: number,
    pullRequestUrl: variables.first("ghprbPullLink"),
    author: variables.first("ghprbActualCommitAuthor", "ghprbPullAuthorLogin"),
  };
}

function gitlabPlugin(variables: Variables): Build | undefined {
  const action = variables.first("gitlabActionType");
  if (action === "TAG_PUSH") return { kind: "tag", commit: variables.first("gitlabAfter", "GIT_COMMIT") };
  const number = variables.first("gitlabMergeRequestIid");
  if (number === undefined) return undefined;
  const source = variables.first("gitlabSourceNamespace");
  const isFork = source !== variables.first("gitlabTargetNamespace");
  const branch = variables.first("gitlabSourceBranch");
  return {
    kind: "pull_request",
    branch: isFork ? forkBranch(source, branch) : branch,
    commit: variables.first("gitlabMergeRequestLastCommit"),
    baseBranch: variables.first("gitlabTargetBranch"),
    pullRequest: number,
  };
}

function gerritTrigger(variables: Variables): Build | undefined {
  const number = variables.first("GERRIT_CHANGE_NUMBER");
  if (number === undefined) return undefined;
  const branch = variables.first("GERRIT_BRANCH");
  const commit = variables.first("GERRIT_NEWREV", "GERRIT_PATCHSET_REVISION");
  if (variables.first("GERRIT_EVENT_TYPE") === "change-merged") return { kind: "branch", branch, commit };
  // A change under review has no branch of its own.
  const pullRequestUrl = variables.first("GERRIT_CHANGE_URL");
  return { kind: "pull_request", commit, baseBranch: branch, pullRequest: number, pullRequestUrl };
}
