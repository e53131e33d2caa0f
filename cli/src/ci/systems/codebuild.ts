import { type Build, branchName, type Variables } from "../build.ts";

/**
 * Reads the builds of AWS CodeBuild.
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-env-vars.html
 */
export function codebuild(variables: Variables): Build {
  return {
    repository: variables.first("CODEBUILD_SOURCE_REPO_URL"),
    url: variables.first("CODEBUILD_PUBLIC_BUILD_URL") ?? consolePage(variables),
    ...refOf(variables),
  };
}

function refOf(variables: Variables): Build {
  const head = variables.first("CODEBUILD_WEBHOOK_HEAD_REF");
  const trigger = variables.first("CODEBUILD_WEBHOOK_TRIGGER") ?? "";
  const version = variables.first("CODEBUILD_SOURCE_VERSION") ?? "";
  const commit = variables.first("CODEBUILD_RESOLVED_SOURCE_VERSION");
  const pull = /^pr\/(\d+)/.exec(trigger)?.[1] ?? /^pr\/(\d+)/.exec(version)?.[1];
  const isPull = variables.first("CODEBUILD_WEBHOOK_EVENT")?.startsWith("PULL_REQUEST") === true;
  if (pull !== undefined || isPull) {
    return {
      kind: "pull_request",
      branch: branchName(head),
      commit,
      baseBranch: branchName(variables.first("CODEBUILD_WEBHOOK_BASE_REF")),
      pullRequest: pull,
    };
  }
  const isTag = [head, trigger, version].some((ref) => /^(?:refs\/tags\/|tag\/)/.test(ref ?? ""));
  if (isTag) return { kind: "tag", commit };
  const named = /^branch\/(.+)/.exec(trigger)?.[1] ?? branchOfVersion(version);
  return { kind: "branch", branch: branchName(head) ?? named, commit };
}

/** Returns the branch of a source version, which may also be a commit, or an archive in a bucket. */
function branchOfVersion(version: string): string | undefined {
  if (/^[0-9a-f]{7,64}$/.test(version) || version.startsWith("arn:")) return undefined;
  return branchName(version.replace(/\^\{.*\}$/, ""));
}

function consolePage(variables: Variables): string | undefined {
  const arn = variables.first("CODEBUILD_BUILD_ARN")?.split(":") ?? [];
  const [region, account] = [arn[3], arn[4]];
  const id = variables.first("CODEBUILD_BUILD_ID");
  if (region === undefined || account === undefined || id === undefined) return undefined;
  const project = encodeURIComponent(id.split(":")[0] ?? "");
  const base = `https://${region}.console.aws.amazon.com/codesuite/codebuild/${account}`;
  return `${base}/projects/${project}/build/${encodeURIComponent(id)}`;
}
