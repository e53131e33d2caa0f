import { type Build, type Variables } from "../build.ts";

/**
 * Reads the jobs of Prow.
 * @see https://docs.prow.k8s.io/docs/jobs/#job-environment-variables
 */
export function prow(variables: Variables): Build {
  const base = variables.first("PULL_BASE_REF");
  switch (variables.first("JOB_TYPE")) {
    case "postsubmit":
      return { kind: "branch", branch: base, commit: variables.first("PULL_BASE_SHA") };
    case "batch":
      return { kind: "merge_queue", baseBranch: base };
    case "presubmit":
      return {
        kind: "pull_request",
        branch: variables.first("PULL_HEAD_REF"),
        commit: variables.first("PULL_PULL_SHA"),
        baseBranch: base,
        pullRequest: variables.first("PULL_NUMBER"),
      };
    default:
      return { kind: "branch" };
  }
}
