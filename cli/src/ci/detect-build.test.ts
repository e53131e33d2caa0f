import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { detectBuild } from "./detect-build.ts";

const SHA = "beef0000beef0000beef0000beef0000beef0000";
const HEAD = "cafe0000cafe0000cafe0000cafe0000cafe0000";
const UNKNOWN = { branch: undefined, commit: undefined, pullRequest: undefined };

async function github(event: unknown, env: Record<string, string>) {
  const folder = await temporaryFolder();
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_RUN_ID: "7",
    GITHUB_SHA: SHA,
    GITHUB_EVENT_PATH: await folder.write("event.json", JSON.stringify(event)),
    ...env,
  };
}

const repository = { full_name: "acme/shop", default_branch: "main", fork: false };
const ours = { full_name: "acme/shop" };
const pullRequest = (head: object) => ({
  repository,
  pull_request: {
    number: 812,
    html_url: "https://github.com/acme/shop/pull/812",
    user: { login: "mira" },
    head: { ref: "drop-v0", sha: HEAD, ...head },
    base: { ref: "main", repo: ours },
  },
});

test.each([
  [
    "a push",
    { ref: "refs/heads/drop-v0", repository, head_commit: { author: { name: "Mira Žák" } } },
    { GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/drop-v0", GITHUB_REF_NAME: "drop-v0" },
    { kind: "branch", branch: "drop-v0", commit: SHA, defaultBranch: "main", author: "Mira Žák" },
  ],
  [
    "a pull request",
    pullRequest({ repo: ours }),
    { GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/812/merge", GITHUB_HEAD_REF: "drop-v0" },
    { kind: "pull_request", branch: "drop-v0", commit: HEAD, baseBranch: "main", pullRequest: "812" },
  ],
  [
    "a pull request of a fork",
    pullRequest({ ref: "main", repo: { full_name: "someone/shop" } }),
    { GITHUB_EVENT_NAME: "pull_request_target", GITHUB_REF: "refs/heads/main" },
    {
      kind: "pull_request",
      branch: "someone:main",
      commit: HEAD,
      pullRequestUrl: "https://github.com/acme/shop/pull/812",
      author: "mira",
    },
  ],
  [
    "a pull request of a deleted fork",
    pullRequest({ ref: "main", label: "someone:main", repo: null }),
    { GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/812/merge" },
    { kind: "pull_request", branch: "someone:main", commit: HEAD },
  ],
  [
    "a pull request without the event's file",
    "not an object",
    { GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/812/merge", GITHUB_HEAD_REF: "drop-v0" },
    { kind: "pull_request", branch: "drop-v0", commit: undefined, pullRequest: "812" },
  ],
  [
    "a merge queue",
    {
      repository,
      merge_group: {
        head_ref: `refs/heads/gh-readonly-queue/main/pr-812-${HEAD}`,
        head_sha: SHA,
        base_ref: "refs/heads/main",
      },
    },
    { GITHUB_EVENT_NAME: "merge_group", GITHUB_REF: `refs/heads/gh-readonly-queue/main/pr-812-${HEAD}` },
    { kind: "merge_queue", commit: SHA, baseBranch: "main", pullRequest: "812" },
  ],
  [
    "a tag",
    { ref: "refs/tags/v1", repository },
    { GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/tags/v1", GITHUB_REF_NAME: "v1", GITHUB_REF_TYPE: "tag" },
    { kind: "tag", branch: undefined, commit: SHA },
  ],
  [
    "a push in a fork",
    { repository: { ...repository, full_name: "acme/shop", fork: true } },
    { GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/main" },
    { kind: "fork", branch: "acme:main", commit: SHA },
  ],
  [
    "a workflow after another one of a pull request",
    {
      repository,
      workflow_run: { event: "pull_request", head_branch: "drop-v0", head_sha: HEAD, head_repository: ours },
    },
    { GITHUB_EVENT_NAME: "workflow_run", GITHUB_REF: "refs/heads/main" },
    { kind: "pull_request", branch: "drop-v0", commit: HEAD },
  ],
  [
    "a comment on a pull request",
    { repository, issue: { number: 812, pull_request: {} } },
    { GITHUB_EVENT_NAME: "issue_comment", GITHUB_REF: "refs/heads/main" },
    { kind: "pull_request", branch: undefined, commit: undefined, pullRequest: "812" },
  ],
  [
    "a schedule",
    { repository },
    { GITHUB_EVENT_NAME: "schedule", GITHUB_REF: "refs/heads/main" },
    { kind: "branch", branch: "main", commit: SHA },
  ],
])("GitHub Actions: %s", async (_, event, env, expected) => {
  expect({ ...UNKNOWN, ...detectBuild(await github(event, env), undefined) }).toMatchObject({
    system: "GitHub Actions",
    repository: "https://github.com/acme/shop",
    url: "https://github.com/acme/shop/actions/runs/7",
    ...expected,
  });
});

test("GitHub Actions: a workflow after another one that checks out the default branch is a build of that", async () => {
  const run = { event: "push", head_branch: "drop-v0", head_sha: HEAD, head_repository: ours };
  const env = { GITHUB_EVENT_NAME: "workflow_run", GITHUB_REF: "refs/heads/main" };
  const build = detectBuild(await github({ repository, workflow_run: run }, env), SHA);
  expect(build).toMatchObject({ kind: "branch", branch: "main", commit: SHA });
});

test("TeamCity: the facts of its parameter files", async () => {
  const folder = await temporaryFolder();
  const parameters = await folder.write(
    "config.properties",
    "teamcity.build.branch=<default>\nvcsroot.branch=refs/heads/trunk\nteamcity.serverUrl=https\\://tc.example\nteamcity.build.id=9\n",
  );
  const file = await folder.write(
    "build.properties",
    `# written by TeamCity\nteamcity.configuration.properties.file=${parameters}\n`,
  );
  const env = { TEAMCITY_VERSION: "2025.07", TEAMCITY_BUILD_PROPERTIES_FILE: file, BUILD_VCS_NUMBER: SHA };
  expect(detectBuild(env, undefined)).toMatchObject({
    system: "TeamCity",
    kind: "branch",
    branch: "trunk",
    isDefaultBranch: true,
    commit: SHA,
    url: "https://tc.example/viewLog.html?buildId=9",
  });
});

const gitlab = {
  GITLAB_CI: "true",
  CI_PROJECT_URL: "https://gitlab.example/acme/shop",
  CI_JOB_URL: "https://gitlab.example/acme/shop/-/jobs/7",
  CI_COMMIT_SHA: SHA,
  CI_COMMIT_REF_NAME: "drop-v0",
  CI_DEFAULT_BRANCH: "trunk",
};
const mergeRequest = {
  ...gitlab,
  CI_MERGE_REQUEST_IID: "812",
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "drop-v0",
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "trunk",
  CI_MERGE_REQUEST_PROJECT_PATH: "acme/shop",
  CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "acme/shop",
};
const jenkins = { JENKINS_URL: "https://ci.example/", BUILD_ID: "7", BUILD_URL: "https://ci.example/job/7/" };
const azure = {
  TF_BUILD: "True",
  SYSTEM_COLLECTIONURI: "https://dev.azure.com/acme/",
  SYSTEM_TEAMPROJECT: "The Shop",
  BUILD_BUILDID: "7",
  BUILD_SOURCEVERSION: SHA,
};

test.each([
  [
    "GitLab CI",
    "a branch",
    gitlab,
    { kind: "branch", branch: "drop-v0", commit: SHA, defaultBranch: "trunk" },
  ],
  ["GitLab CI", "a merge request", mergeRequest, { kind: "pull_request", commit: SHA, pullRequest: "812" }],
  [
    "GitLab CI",
    "a merged result",
    {
      ...mergeRequest,
      CI_MERGE_REQUEST_EVENT_TYPE: "merged_result",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: HEAD,
    },
    { kind: "pull_request", branch: "drop-v0", commit: HEAD, baseBranch: "trunk" },
  ],
  [
    "GitLab CI",
    "a merge train",
    { ...mergeRequest, CI_MERGE_REQUEST_EVENT_TYPE: "merge_train" },
    { kind: "merge_queue", commit: undefined },
  ],
  [
    "GitLab CI",
    "a fork's merge request",
    { ...mergeRequest, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "someone/else/shop" },
    { kind: "pull_request", branch: "someone/else:drop-v0" },
  ],
  [
    "GitLab CI",
    "a tag",
    { ...gitlab, CI_COMMIT_TAG: "v1", CI_COMMIT_REF_NAME: "v1" },
    { kind: "tag", branch: undefined },
  ],
  [
    "GitLab CI",
    "a pipeline that one of a merge request started",
    { ...gitlab, CI_COMMIT_REF_NAME: "refs/merge-requests/812/merge" },
    { kind: "pull_request", branch: undefined, commit: undefined, pullRequest: "812" },
  ],
  [
    "Jenkins",
    "a branch",
    { ...jenkins, BRANCH_NAME: "trunk", BRANCH_IS_PRIMARY: "true", GIT_COMMIT: SHA },
    { kind: "branch", branch: "trunk", isDefaultBranch: true, commit: SHA, url: "https://ci.example/job/7/" },
  ],
  [
    "Jenkins",
    "a job of one branch",
    { ...jenkins, GIT_BRANCH: "origin/drop-v0" },
    { kind: "branch", branch: "drop-v0" },
  ],
  [
    "Jenkins",
    "a fork's change",
    {
      ...jenkins,
      BRANCH_NAME: "PR-812",
      CHANGE_ID: "812",
      CHANGE_BRANCH: "main",
      CHANGE_TARGET: "main",
      CHANGE_FORK: "someone",
      CHANGE_URL: "https://git.example/acme/shop/pull/812",
      CHANGE_AUTHOR: "mira",
      CHANGE_AUTHOR_DISPLAY_NAME: "Mira Žák",
      GIT_COMMIT: SHA,
    },
    {
      kind: "pull_request",
      branch: "someone:main",
      commit: undefined,
      baseBranch: "main",
      pullRequest: "812",
      pullRequestUrl: "https://git.example/acme/shop/pull/812",
      author: "Mira Žák",
    },
  ],
  [
    "Jenkins",
    "the GitHub pull request builder",
    {
      ...jenkins,
      ghprbPullId: "812",
      ghprbActualCommit: HEAD,
      ghprbSourceBranch: "drop-v0",
      GIT_COMMIT: SHA,
    },
    { kind: "pull_request", branch: "drop-v0", commit: HEAD },
  ],
  [
    "Jenkins",
    "a Gerrit change",
    {
      ...jenkins,
      GERRIT_PROJECT: "shop",
      GERRIT_CHANGE_NUMBER: "12",
      GERRIT_BRANCH: "main",
      GERRIT_PATCHSET_REVISION: HEAD,
    },
    { kind: "pull_request", commit: HEAD, baseBranch: "main" },
  ],
  ["Jenkins", "a tag", { ...jenkins, TAG_NAME: "v1", BRANCH_NAME: "v1" }, { kind: "tag", branch: undefined }],
  [
    "Azure Pipelines",
    "a branch",
    { ...azure, BUILD_SOURCEBRANCH: "refs/heads/feature/x", BUILD_REASON: "IndividualCI" },
    {
      kind: "branch",
      branch: "feature/x",
      commit: SHA,
      url: "https://dev.azure.com/acme/The%20Shop/_build/results?buildId=7",
    },
  ],
  [
    "Azure Pipelines",
    "a fork's pull request",
    {
      ...azure,
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEBRANCH: "refs/pull/812/merge",
      BUILD_REPOSITORY_PROVIDER: "GitHub",
      SYSTEM_PULLREQUEST_PULLREQUESTID: "99",
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: "812",
      SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/main",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: HEAD,
      SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI: "https://github.com/someone/shop",
      SYSTEM_PULLREQUEST_ISFORK: "True",
    },
    {
      kind: "pull_request",
      branch: "someone:main",
      commit: HEAD,
      pullRequest: "812",
      pullRequestUrl: undefined,
    },
  ],
  [
    "Azure Pipelines",
    "a pull request of Azure Repos",
    {
      ...azure,
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEBRANCH: "refs/pull/812/merge",
      BUILD_REPOSITORY_PROVIDER: "TfsGit",
      BUILD_REPOSITORY_URI: "https://dev.azure.com/acme/The%20Shop/_git/shop",
      SYSTEM_PULLREQUEST_PULLREQUESTID: "812",
    },
    {
      kind: "pull_request",
      pullRequest: "812",
      pullRequestUrl: "https://dev.azure.com/acme/The%20Shop/_git/shop/pullrequest/812",
    },
  ],
  ["Azure Pipelines", "a tag", { ...azure, BUILD_SOURCEBRANCH: "refs/tags/v1" }, { kind: "tag" }],
  [
    "AWS CodeBuild",
    "a branch",
    {
      CODEBUILD_BUILD_ARN: "arn:aws:codebuild:eu-central-1:123456789012:build/shop:7",
      CODEBUILD_BUILD_ID: "shop:7",
      CODEBUILD_WEBHOOK_EVENT: "PUSH",
      CODEBUILD_WEBHOOK_HEAD_REF: "refs/heads/drop-v0",
      CODEBUILD_WEBHOOK_TRIGGER: "branch/drop-v0",
      CODEBUILD_RESOLVED_SOURCE_VERSION: SHA,
    },
    {
      kind: "branch",
      branch: "drop-v0",
      commit: SHA,
      url: "https://eu-central-1.console.aws.amazon.com/codesuite/codebuild/123456789012/projects/shop/build/shop%3A7",
    },
  ],
  [
    "AWS CodeBuild",
    "a pull request",
    {
      CODEBUILD_BUILD_ID: "shop:7",
      CODEBUILD_SOURCE_VERSION: "pr/812",
      CODEBUILD_RESOLVED_SOURCE_VERSION: HEAD,
    },
    { kind: "pull_request", commit: HEAD, pullRequest: "812" },
  ],
  [
    "Bitbucket Pipelines",
    "a pull request",
    {
      BITBUCKET_COMMIT: HEAD,
      BITBUCKET_BRANCH: "drop-v0",
      BITBUCKET_PR_ID: "812",
      BITBUCKET_PR_DESTINATION_BRANCH: "main",
      BITBUCKET_REPO_FULL_NAME: "acme/shop",
      BITBUCKET_BUILD_NUMBER: "7",
    },
    {
      kind: "pull_request",
      branch: "drop-v0",
      commit: HEAD,
      url: "https://bitbucket.org/acme/shop/pipelines/results/7",
    },
  ],
  [
    "Buildkite",
    "the default branch",
    {
      BUILDKITE: "true",
      BUILDKITE_PULL_REQUEST: "false",
      BUILDKITE_BRANCH: "trunk",
      BUILDKITE_COMMIT: SHA,
      BUILDKITE_PIPELINE_DEFAULT_BRANCH: "trunk",
    },
    { kind: "branch", branch: "trunk", defaultBranch: "trunk", pullRequest: undefined },
  ],
  [
    "Buildkite",
    "a fork's pull request",
    {
      BUILDKITE: "true",
      BUILDKITE_PULL_REQUEST: "812",
      BUILDKITE_BRANCH: "someone:main",
      BUILDKITE_COMMIT: HEAD,
      BUILDKITE_REPO: "git@github.com:acme/shop.git",
      BUILDKITE_PULL_REQUEST_REPO: "https://github.com/someone/shop.git",
    },
    { kind: "pull_request", branch: "someone:main", commit: HEAD, pullRequest: "812" },
  ],
  [
    "CircleCI",
    "a branch that has a pull request",
    {
      CIRCLECI: "true",
      CIRCLE_BRANCH: "develop",
      CIRCLE_PULL_REQUEST: "https://github.com/acme/shop/pull/812",
      CIRCLE_SHA1: SHA,
    },
    { kind: "branch", branch: "develop", pullRequest: "812", commit: SHA },
  ],
  [
    "CircleCI",
    "a fork's pull request",
    {
      CIRCLECI: "true",
      CIRCLE_BRANCH: "pull/812",
      CIRCLE_PR_NUMBER: "812",
      CIRCLE_PR_USERNAME: "someone",
      CIRCLE_SHA1: HEAD,
    },
    { kind: "pull_request", branch: undefined, pullRequest: "812", commit: HEAD },
  ],
  [
    "Travis CI",
    "a pull request",
    {
      TRAVIS: "true",
      TRAVIS_BRANCH: "main",
      TRAVIS_COMMIT: SHA,
      TRAVIS_PULL_REQUEST: "812",
      TRAVIS_PULL_REQUEST_BRANCH: "main",
      TRAVIS_PULL_REQUEST_SHA: HEAD,
      TRAVIS_PULL_REQUEST_SLUG: "someone/shop",
      TRAVIS_REPO_SLUG: "acme/shop",
    },
    { kind: "pull_request", branch: "someone:main", commit: HEAD, baseBranch: "main" },
  ],
  [
    "AppVeyor",
    "a branch",
    {
      APPVEYOR: "True",
      APPVEYOR_REPO_BRANCH: "main",
      APPVEYOR_URL: "https://ci.appveyor.com",
      APPVEYOR_ACCOUNT_NAME: "acme",
      APPVEYOR_PROJECT_SLUG: "shop",
      APPVEYOR_BUILD_ID: "7",
    },
    { kind: "branch", branch: "main", url: "https://ci.appveyor.com/project/acme/shop/builds/7" },
  ],
  [
    "Drone",
    "a deployment of an older commit",
    {
      DRONE: "true",
      DRONE_BUILD_EVENT: "promote",
      DRONE_BRANCH: "main",
      DRONE_REPO_BRANCH: "main",
      DRONE_COMMIT_SHA: SHA,
    },
    { kind: "preview", branch: "main" },
  ],
  [
    "Woodpecker",
    "a pull request",
    {
      CI: "woodpecker",
      CI_PIPELINE_EVENT: "pull_request",
      CI_COMMIT_SOURCE_BRANCH: "drop-v0",
      CI_COMMIT_TARGET_BRANCH: "main",
      CI_COMMIT_BRANCH: "main",
      CI_COMMIT_SHA: HEAD,
      CI_COMMIT_PULL_REQUEST: "812",
    },
    { kind: "pull_request", branch: "drop-v0", commit: HEAD, baseBranch: "main" },
  ],
  [
    "Semaphore",
    "a fork's pull request",
    {
      SEMAPHORE: "true",
      SEMAPHORE_GIT_BRANCH: "main",
      SEMAPHORE_GIT_SHA: SHA,
      SEMAPHORE_GIT_PR_NUMBER: "812",
      SEMAPHORE_GIT_PR_BRANCH: "main",
      SEMAPHORE_GIT_PR_SHA: HEAD,
      SEMAPHORE_GIT_PR_SLUG: "someone/shop",
      SEMAPHORE_GIT_REPO_SLUG: "acme/shop",
    },
    { kind: "pull_request", branch: "someone:main", commit: HEAD },
  ],
  [
    "Netlify",
    "a preview",
    {
      NETLIFY: "true",
      CONTEXT: "deploy-preview",
      PULL_REQUEST: "true",
      REVIEW_ID: "812",
      HEAD: "pull/812/head",
      COMMIT_REF: HEAD,
    },
    { kind: "pull_request", branch: undefined, isDefaultBranch: false, pullRequest: "812" },
  ],
  [
    "Vercel",
    "production",
    { VERCEL: "1", VERCEL_ENV: "production", VERCEL_GIT_COMMIT_REF: "trunk", VERCEL_GIT_COMMIT_SHA: SHA },
    { kind: "branch", branch: "trunk", isDefaultBranch: true },
  ],
  [
    "Prow",
    "a presubmit",
    {
      PROW_JOB_ID: "1",
      JOB_TYPE: "presubmit",
      PULL_NUMBER: "812",
      PULL_PULL_SHA: HEAD,
      PULL_BASE_REF: "main",
    },
    { kind: "pull_request", commit: HEAD, baseBranch: "main" },
  ],
  [
    "Agola CI",
    "a pull request",
    { AGOLA_GIT_REF: "x", AGOLA_PULL_REQUEST_ID: "812" },
    { kind: "pull_request" },
  ],
  [undefined, "an unknown system", { CI: "true" }, { kind: "branch" }],
])("%s: %s", (system, _, env: Record<string, string>, expected) => {
  expect({ ...UNKNOWN, ...detectBuild(env, undefined) }).toMatchObject({ system, ...expected });
});

test("outside of pipelines there is no build", () => {
  expect(detectBuild({}, undefined)).toBeUndefined();
  expect(detectBuild({ CI: "false", GITLAB_CI: "true" }, undefined)).toBeUndefined();
});
