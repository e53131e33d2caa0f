import vendors from "ci-info/vendors.json" with { type: "json" };
import { type Environment, given } from "../lib/config.ts";
import { type Build, type BuildReader, Variables } from "./build.ts";
import { azurePipelines } from "./systems/azure-pipelines.ts";
import { codebuild } from "./systems/codebuild.ts";
import { githubActions } from "./systems/github-actions.ts";
import { gitlab } from "./systems/gitlab.ts";
import { HOSTED } from "./systems/hosted.ts";
import { jenkins } from "./systems/jenkins.ts";
import { prow } from "./systems/prow.ts";
import { teamcity } from "./systems/teamcity.ts";

/** The readers of builds, by the names of their systems in `ci-info`. */
const READERS: Readonly<Record<string, BuildReader>> = {
  ...HOSTED,
  AZURE_PIPELINES: azurePipelines,
  CODEBUILD: codebuild,
  GITEA_ACTIONS: githubActions,
  GITHUB_ACTIONS: githubActions,
  GITLAB: gitlab,
  JENKINS: jenkins,
  PROW: prow,
  TEAMCITY: teamcity,
};

/**
 * Variables that identify a system if the one that `ci-info` looks for is missing, as in a container that gets a few.
 */
const MARKERS: Readonly<Record<string, readonly string[]>> = {
  AZURE_PIPELINES: ["BUILD_BUILDURI", "BUILD_REASON"],
  BITBUCKET: ["BITBUCKET_BUILD_NUMBER", "BITBUCKET_PR_ID"],
  BUDDY: ["BUDDY"],
  BUILDKITE: ["BUILDKITE_BUILD_URL", "BUILDKITE_PULL_REQUEST"],
  CIRCLE: ["CIRCLE_BUILD_URL", "CIRCLE_PULL_REQUEST"],
  CODEBUILD: ["CODEBUILD_BUILD_ID"],
  GITHUB_ACTIONS: ["GITHUB_EVENT_NAME", "GITHUB_REPOSITORY"],
  GITLAB: ["CI_MERGE_REQUEST_IID", "CI_PROJECT_URL"],
  HEROKU: ["HEROKU_TEST_RUN_ID"],
  JENKINS: ["JENKINS_URL"],
};

/** Names of systems as their makers write them, where `ci-info` adds to them. */
const NAMES: Readonly<Record<string, string>> = { GITLAB: "GitLab CI", NETLIFY: "Netlify" };

/** A build, and the system that runs it. */
export interface DetectedBuild extends Build {
  /** Such as `GitHub Actions`; undefined for a system that only sets CI. */
  system: string | undefined;
}

type Vendor = (typeof vendors)[number];

/**
 * Returns the build that this environment is of; undefined outside of pipelines.
 * @param head the commit of the checkout, if there is one
 */
export function detectBuild(environment: Environment, head: string | undefined): DetectedBuild | undefined {
  if (given(environment["CI"])?.toLowerCase() === "false") return undefined;
  const found = vendors.filter((vendor) => isVendor(environment, vendor));
  // Gerrit's variables are in Jenkins' builds, and Drone's in those of Harness: the one with facts, and the last, counts.
  const vendor = found.findLast(({ constant }) => Object.hasOwn(READERS, constant)) ?? found.at(-1);
  if (vendor === undefined) {
    return given(environment["CI"]) === undefined ? undefined : { system: undefined, kind: "branch" };
  }
  const system = NAMES[vendor.constant] ?? vendor.name;
  const reader = READERS[vendor.constant];
  if (reader !== undefined) return { system, ...reader(new Variables(environment), head) };
  return { system, kind: isPullRequest(environment, vendor) ? "pull_request" : "branch" };
}

function isVendor(environment: Environment, { constant, env }: Vendor): boolean {
  if (MARKERS[constant]?.some((name) => given(environment[name]) !== undefined) === true) return true;
  return (Array.isArray(env) ? env : [env]).every((condition) => matches(environment, condition));
}

function isPullRequest(environment: Environment, { pr }: Vendor): boolean {
  return pr !== undefined && matches(environment, pr);
}

/** Evaluates a condition of `ci-info`: a variable that is set, has a value, contains one, or is one of several. */
function matches(environment: Environment, condition: unknown): boolean {
  if (typeof condition === "string") return given(environment[condition]) !== undefined;
  if (typeof condition !== "object" || condition === null) return false;
  const { env, includes, ne, any, ...values }: Record<string, unknown> = { ...condition };
  if (typeof env === "string") {
    const value = environment[env];
    if (value === undefined) return false;
    if (typeof includes === "string") return value.includes(includes);
    return Array.isArray(any) ? any.includes(value) : value !== ne;
  }
  if (Array.isArray(any)) return any.some((name) => matches(environment, name));
  return Object.entries(values).every(([name, value]) => environment[name] === value);
}
