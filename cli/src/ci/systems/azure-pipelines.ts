import { type Build, branchName, forkBranch, ownerOf, pullRequestNumber, type Variables } from "../build.ts";

/**
 * Reads the builds of Azure Pipelines.
 * @see https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables
 */
export function azurePipelines(variables: Variables): Build {
  return {
    repository: variables.first("BUILD_REPOSITORY_URI"),
    url: buildPage(variables),
    ...refOf(variables),
  };
}

function refOf(variables: Variables): Build {
  const ref = variables.first("BUILD_SOURCEBRANCH") ?? "";
  const commit = variables.first("BUILD_SOURCEVERSION");
  const pull =
    variables.first("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID") ??
    (ref.startsWith("refs/pull/") ? pullRequestNumber(ref) : undefined);
  if (pull !== undefined || variables.first("BUILD_REASON") === "PullRequest") {
    const branch = branchName(variables.first("SYSTEM_PULLREQUEST_SOURCEBRANCH"));
    const owner = ownerOf(variables.first("SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI"));
    return {
      kind: "pull_request",
      branch: variables.isTrue("SYSTEM_PULLREQUEST_ISFORK") ? forkBranch(owner, branch) : branch,
      // BUILD_SOURCEVERSION is a merge.
      commit: variables.first("SYSTEM_PULLREQUEST_SOURCECOMMITID"),
      baseBranch: branchName(variables.first("SYSTEM_PULLREQUEST_TARGETBRANCH")),
      pullRequest: pull,
      pullRequestUrl: pullRequestPage(variables),
    };
  }
  if (ref.startsWith("refs/tags/")) return { kind: "tag", commit };
  return { kind: "branch", branch: branchName(ref) ?? variables.first("BUILD_SOURCEBRANCHNAME"), commit };
}

/** Returns the page of a pull request of Azure Repos. That of another host follows from its repository's address. */
function pullRequestPage(variables: Variables): string | undefined {
  const repository = variables.first("BUILD_REPOSITORY_URI");
  const id = variables.first("SYSTEM_PULLREQUEST_PULLREQUESTID");
  if (variables.first("BUILD_REPOSITORY_PROVIDER") !== "TfsGit" || id === undefined) return undefined;
  return repository === undefined ? undefined : `${repository.replace(/\/$/, "")}/pullrequest/${id}`;
}

/** Returns the page of the build: BUILD_BUILDURI is an identifier, `vstfs:///Build/Build/7`. */
function buildPage(variables: Variables): string | undefined {
  const collection = variables.first("SYSTEM_COLLECTIONURI", "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI");
  const project = variables.first("SYSTEM_TEAMPROJECT");
  const id = variables.first("BUILD_BUILDID");
  if (collection === undefined || project === undefined || id === undefined) return undefined;
  return `${collection.replace(/\/$/, "")}/${encodeURIComponent(project)}/_build/results?buildId=${id}`;
}
