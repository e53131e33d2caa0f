import { type Build, forkBranch, ownerOf, type Variables } from "../build.ts";

/**
 * Reads the builds of GitLab CI/CD.
 * @see https://docs.gitlab.com/ci/variables/predefined_variables/
 */
export function gitlab(variables: Variables): Build {
  return {
    defaultBranch: variables.first("CI_DEFAULT_BRANCH"),
    repository: variables.first("CI_PROJECT_URL"),
    url: variables.first("CI_JOB_URL", "CI_PIPELINE_URL"),
    author: variables.first("CI_COMMIT_AUTHOR"),
    ...refOf(variables),
  };
}

function refOf(variables: Variables): Build {
  const name = variables.first("CI_COMMIT_REF_NAME");
  const commit = variables.first("CI_COMMIT_SHA");
  if (variables.first("CI_MERGE_REQUEST_IID") !== undefined) return mergeRequest(variables);
  if (variables.first("CI_EXTERNAL_PULL_REQUEST_IID") !== undefined) return externalPullRequest(variables);
  // A pipeline that another one started has no variables of its merge request, only the ref.
  const merged = /^refs\/merge-requests\/(\d+)\/(head|merge|train)$/.exec(name ?? "");
  if (merged !== null) {
    return {
      kind: merged[2] === "train" ? "merge_queue" : "pull_request",
      pullRequest: merged[1],
      commit: merged[2] === "head" ? commit : undefined,
    };
  }
  if (variables.first("CI_COMMIT_TAG") !== undefined) return { kind: "tag", commit };
  return { kind: "branch", branch: variables.first("CI_COMMIT_BRANCH") ?? name, commit };
}

function mergeRequest(variables: Variables): Build {
  const source = variables.first("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH");
  const target = variables.first("CI_MERGE_REQUEST_PROJECT_PATH");
  const number = variables.first("CI_MERGE_REQUEST_IID");
  const project = variables.first("CI_MERGE_REQUEST_PROJECT_URL");
  const branch = variables.first("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME");
  const isFork = source !== undefined && target !== undefined && source !== target;
  // Only pipelines of merged results and merge trains build a merge; there the branch's own commit is named.
  const isMerged = /merged_result|merge_train/.test(variables.first("CI_MERGE_REQUEST_EVENT_TYPE") ?? "");
  const head = variables.first("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA");
  return {
    kind: variables.first("CI_MERGE_REQUEST_EVENT_TYPE") === "merge_train" ? "merge_queue" : "pull_request",
    branch: isFork ? forkBranch(namespaceOf(source), branch) : branch,
    commit: head ?? (isMerged ? undefined : variables.first("CI_COMMIT_SHA")),
    baseBranch: variables.first("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
    pullRequest: number,
    pullRequestUrl: project === undefined ? undefined : `${project}/-/merge_requests/${number}`,
  };
}

/** Reads the pipeline of a pull request on GitHub, whose repository GitLab mirrors. */
function externalPullRequest(variables: Variables): Build {
  const source = variables.first("CI_EXTERNAL_PULL_REQUEST_SOURCE_REPOSITORY");
  const isFork = source !== variables.first("CI_EXTERNAL_PULL_REQUEST_TARGET_REPOSITORY");
  const branch = variables.first("CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME");
  return {
    kind: "pull_request",
    branch: isFork ? forkBranch(ownerOf(source), branch) : branch,
    commit: variables.first("CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"),
    baseBranch: variables.first("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"),
    pullRequest: variables.first("CI_EXTERNAL_PULL_REQUEST_IID"),
  };
}

function namespaceOf(project: string): string {
  return project.split("/").slice(0, -1).join("/");
}
