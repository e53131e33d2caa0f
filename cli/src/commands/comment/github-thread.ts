import { type Environment, given } from "../../lib/config.ts";
import { isGitHubActions } from "../../report/github.ts";
import { addressBelow, type CommentThread, plainComments } from "./comment-thread.ts";

/** The comments of this build's pull request; undefined elsewhere than in such a build of GitHub Actions. */
export function githubThread(env: Environment, token: string): CommentThread | undefined {
  const number = /^refs\/pull\/(\d+)\//.exec(env["GITHUB_REF"] ?? "")?.[1];
  const repository = /^[\w.-]+\/[\w.-]+$/.exec(env["GITHUB_REPOSITORY"] ?? "")?.[0];
  if (!isGitHubActions(env) || number === undefined || repository === undefined) return undefined;
  // Comments on the whole pull request are those of its issue.
  const issues = addressBelow(given(env["GITHUB_API_URL"]), `/repos/${repository}/issues`);
  if (issues === undefined) return undefined;
  return {
    name: `pull request ${number} of ${repository}`,
    ...plainComments(`${issues}/${number}/comments`, (id) => `${issues}/comments/${id}`),
    updateMethod: "PATCH",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "x-github-api-version": "2022-11-28",
    },
    permission:
      "the job needs the permission pull-requests: write, which pull requests from forks can't have",
  };
}
