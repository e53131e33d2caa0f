import { z } from "zod";
import { type Build, branchName, forkBranch, mergeQueueBuild, ownerOf, type Variables } from "../build.ts";

const Repository = z.object({ full_name: z.string(), owner: z.object({ login: z.string() }).optional() });
const Side = z.object({
  ref: z.string(),
  sha: z.string().optional(),
  label: z.string().optional(),
  user: z.object({ login: z.string() }).nullish(),
  // Null once the fork is deleted.
  repo: Repository.nullish(),
});
const PullRequest = z.object({
  number: z.int(),
  html_url: z.string().optional().catch(undefined),
  user: z.object({ login: z.string() }).nullish().catch(undefined),
  head: Side,
  base: Side,
});
const Event = z.object({
  repository: z
    .object({
      full_name: z.string().optional(),
      default_branch: z.string().optional(),
      fork: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
  pull_request: PullRequest.optional().catch(undefined),
  head_commit: z
    .object({ author: z.object({ name: z.string() }) })
    .nullish()
    .catch(undefined),
  merge_group: z
    .object({ head_ref: z.string(), head_sha: z.string(), base_ref: z.string() })
    .optional()
    .catch(undefined),
  workflow_run: z
    .object({
      event: z.string(),
      head_branch: z.string().nullable(),
      head_sha: z.string(),
      head_repository: Repository.nullish(),
      pull_requests: z.array(z.object({ number: z.int() })).optional(),
    })
    .optional()
    .catch(undefined),
  issue: z.object({ number: z.int(), pull_request: z.unknown().optional() }).optional().catch(undefined),
});
type Event = z.infer<typeof Event>;

/**
 * Reads the builds of GitHub Actions, and of Gitea and Forgejo, which set the same variables.
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/variables
 */
export function githubActions(variables: Variables, head: string | undefined): Build {
  const event = readEvent(variables);
  const name = variables.first("GITHUB_REPOSITORY");
  const repository = addressOf(variables, name);
  const run = variables.first("GITHUB_RUN_ID");
  return {
    defaultBranch: event.repository?.default_branch,
    author: event.pull_request?.user?.login ?? event.head_commit?.author.name,
    pullRequestUrl: event.pull_request?.html_url,
    repository,
    url: repository === undefined || run === undefined ? undefined : `${repository}/actions/runs/${run}`,
    ...refOf(variables, event, { name, head }),
  };
}

function refOf(
  variables: Variables,
  event: Event,
  { name, head }: { name: string | undefined; head: string | undefined },
): Build {
  if (event.pull_request !== undefined) return ofPullRequest(event.pull_request, name);
  const trigger = variables.first("GITHUB_EVENT_NAME");
  const ref = variables.first("GITHUB_REF");
  const pull = /^refs\/pull\/(\d+)\//.exec(ref ?? "")?.[1];
  const headRef = variables.first("GITHUB_HEAD_REF");
  if (pull !== undefined || headRef !== undefined || trigger?.startsWith("pull_request") === true) {
    // Without the event's file, the commit is unknown: GITHUB_SHA is a merge, or the base.
    return {
      kind: "pull_request",
      branch: headRef,
      baseBranch: variables.first("GITHUB_BASE_REF"),
      pullRequest: pull,
    };
  }
  const sha = variables.first("GITHUB_SHA");
  if (event.merge_group !== undefined) {
    const { head_ref: queueRef, head_sha: commit, base_ref: baseRef } = event.merge_group;
    const branch = branchName(queueRef);
    return {
      kind: "merge_queue",
      ...mergeQueueBuild(branch),
      branch,
      commit,
      baseBranch: branchName(baseRef),
    };
  }
  // These events run on the default branch. Unless the checkout is of that, it is of the branch that they are about.
  if (head === undefined || head !== sha) {
    if (trigger === "workflow_run" && event.workflow_run !== undefined) {
      return ofWorkflowRun(event.workflow_run, name);
    }
    if (trigger === "issue_comment" && event.issue?.pull_request !== undefined) {
      return { kind: "pull_request", pullRequest: String(event.issue.number) };
    }
  }
  if (variables.first("GITHUB_REF_TYPE") === "tag" || ref?.startsWith("refs/tags/") === true) {
    return { kind: "tag", commit: sha };
  }
  const branch = branchName(ref ?? variables.first("GITHUB_REF_NAME"));
  const queued = mergeQueueBuild(branch);
  if (queued !== undefined) return { ...queued, commit: sha };
  if (event.repository?.fork === true) {
    return { kind: "fork", branch: forkBranch(ownerOf(name), branch), commit: sha };
  }
  return { kind: "branch", branch, commit: sha };
}

function ofPullRequest(pull: z.infer<typeof PullRequest>, name: string | undefined): Build {
  const { head, base } = pull;
  const ours = base.repo?.full_name ?? name;
  // A deleted fork has no name, but its label still has its owner.
  const isFork =
    head.repo === null || (head.repo !== undefined && ours !== undefined && head.repo.full_name !== ours);
  const owner = ownerOf(head.repo?.full_name) ?? head.label?.split(":")[0] ?? head.user?.login;
  return {
    kind: "pull_request",
    branch: isFork ? forkBranch(owner, head.ref) : head.ref,
    commit: head.sha,
    baseBranch: base.ref,
    pullRequest: String(pull.number),
  };
}

function ofWorkflowRun(run: NonNullable<Event["workflow_run"]>, name: string | undefined): Build {
  const isFork = (run.head_repository?.full_name ?? name) !== name;
  const branch = run.head_branch ?? undefined;
  const [pull] = run.pull_requests ?? [];
  return {
    kind: run.event.startsWith("pull_request") ? "pull_request" : isFork ? "fork" : "branch",
    branch: isFork ? forkBranch(ownerOf(run.head_repository?.full_name), branch) : branch,
    commit: run.head_sha,
    pullRequest: pull === undefined ? undefined : String(pull.number),
  };
}

function readEvent(variables: Variables): Event {
  const text = variables.file("GITHUB_EVENT_PATH");
  if (text === undefined) return Event.parse({});
  try {
    return Event.catch(Event.parse({})).parse(JSON.parse(text));
  } catch {
    // Without the event, the variables still tell what is built.
    return Event.parse({});
  }
}

function addressOf(variables: Variables, name: string | undefined): string | undefined {
  const server = variables.first("GITHUB_SERVER_URL");
  return server === undefined || name === undefined ? undefined : `${server.replace(/\/$/, "")}/${name}`;
}
