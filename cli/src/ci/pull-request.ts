import { type Environment, given } from "../config.ts";

/** By the name of each CI system: whether its variables say that this is a build of a pull request. */
const SYSTEMS: Record<string, (env: Environment) => boolean> = {
  "GitHub Actions": (env) => env["GITHUB_EVENT_NAME"]?.startsWith("pull_request") === true,
  "GitLab CI": (env) => given(env["CI_MERGE_REQUEST_IID"]) !== undefined,
  "Azure Pipelines": (env) => env["BUILD_REASON"] === "PullRequest",
  "Bitbucket Pipelines": (env) => given(env["BITBUCKET_PR_ID"]) !== undefined,
  Buildkite: (env) => (given(env["BUILDKITE_PULL_REQUEST"]) ?? "false") !== "false",
  CircleCI: (env) => given(env["CIRCLE_PULL_REQUEST"]) !== undefined,
  Jenkins: (env) => given(env["CHANGE_ID"]) !== undefined && given(env["JENKINS_URL"]) !== undefined,
};

/** The name of the CI system if this is its build of a pull request; undefined elsewhere. */
export function pullRequestBuild(env: Environment): string | undefined {
  return Object.keys(SYSTEMS).find((name) => SYSTEMS[name]?.(env) === true);
}
