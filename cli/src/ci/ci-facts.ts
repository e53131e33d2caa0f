import type { JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import { type Environment, given } from "../config.ts";
import type { CliContext } from "../context.ts";
import { repositoryFacts } from "./repository-facts.ts";

/** By the name of each CI system: the address of the build's page, or undefined where this is not one of its builds. */
const SYSTEMS: Record<string, (env: Environment) => string | undefined> = {
  "GitHub Actions": (env) => {
    const [server, repository, run] = [
      env["GITHUB_SERVER_URL"],
      env["GITHUB_REPOSITORY"],
      env["GITHUB_RUN_ID"],
    ];
    if (given(server) === undefined || given(run) === undefined) return undefined;
    return `${server}/${repository ?? ""}/actions/runs/${run}`;
  },
  "GitLab CI": (env) => given(env["CI_JOB_URL"]) ?? given(env["CI_PIPELINE_URL"]),
  "Azure Pipelines": (env) => given(env["BUILD_BUILDURI"]),
  "Bitbucket Pipelines": (env) => given(env["BITBUCKET_GIT_HTTP_ORIGIN"]),
  Buildkite: (env) => given(env["BUILDKITE_BUILD_URL"]),
  CircleCI: (env) => given(env["CIRCLE_BUILD_URL"]),
  Jenkins: (env) => given(env["BUILD_URL"]),
};

const TEXT_MAX = 500;
const URL_MAX = 2_000;

/** Where a result comes from: the build, the repository, commit and branch. What is not known is left out. */
export async function ciFacts(context: Pick<CliContext, "cwd" | "env">): Promise<JourneyRunCi | undefined> {
  const { repository, source } = await repositoryFacts(context);
  const system = Object.keys(SYSTEMS).find((name) => SYSTEMS[name]?.(context.env) !== undefined);
  const url = system === undefined ? undefined : SYSTEMS[system]?.(context.env);
  const facts: JourneyRunCi = {
    ...texts({ system, repository, commit: source.commit, branch: source.branch }),
    ...(url !== undefined && url.length <= URL_MAX && /^https?:/i.test(url) && URL.canParse(url)
      ? { url: withoutPassword(url) }
      : {}),
  };
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** The server refuses a password, since everybody who may read the run would see it. */
function withoutPassword(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href;
}

/** Names of branches are a stranger's: one that the server would refuse is left out, and the result is not lost for it. */
function texts(named: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, text]) =>
      text === undefined || text === "" || text.length > TEXT_MAX || /[\p{Cc}\p{Cs}]/u.test(text)
        ? []
        : [[name, text]],
    ),
  );
}
