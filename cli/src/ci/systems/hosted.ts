import type { BuildReader, Variables } from "../build.ts";
import { fromVariables } from "./named-variables.ts";

/** Systems whose variables hold the facts as they are, by their names in `ci-info`. */
export const HOSTED: Readonly<Record<string, BuildReader>> = {
  // https://www.appveyor.com/docs/environment-variables
  APPVEYOR: fromVariables({
    branch: ["APPVEYOR_REPO_BRANCH"],
    commit: ["APPVEYOR_REPO_COMMIT"],
    tag: ["APPVEYOR_REPO_TAG_NAME"],
    pullRequest: ["APPVEYOR_PULL_REQUEST_NUMBER"],
    pullRequestBranch: ["APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH"],
    pullRequestCommit: ["APPVEYOR_PULL_REQUEST_HEAD_COMMIT"],
    baseBranch: ["APPVEYOR_REPO_BRANCH"],
    fork: ["APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME"],
    repository: ["APPVEYOR_REPO_NAME"],
    author: ["APPVEYOR_REPO_COMMIT_AUTHOR"],
    url: page(
      "APPVEYOR_URL",
      "/project/",
      "APPVEYOR_ACCOUNT_NAME",
      "/",
      "APPVEYOR_PROJECT_SLUG",
      "/builds/",
      "APPVEYOR_BUILD_ID",
    ),
  }),
  // https://confluence.atlassian.com/bamboo/bamboo-variables-289277087.html
  BAMBOO: fromVariables({
    branch: [
      "bamboo_planRepository_1_branchName",
      "bamboo_planRepository_branchName",
      "bamboo_repository_branch_name",
    ],
    commit: [
      "bamboo_planRepository_1_revision",
      "bamboo_planRepository_revision",
      "bamboo_repository_revision_number",
    ],
    pullRequest: ["bamboo_repository_pr_key"],
    pullRequestBranch: ["bamboo_repository_pr_sourceBranch"],
    baseBranch: ["bamboo_repository_pr_targetBranch"],
    repository: [
      "bamboo_planRepository_1_repositoryUrl",
      "bamboo_planRepository_repositoryUrl",
      "bamboo_repository_git_repositoryUrl",
    ],
    url: ["bamboo_buildResultsUrl", "bamboo_resultsUrl"],
  }),
  // https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets
  BITBUCKET: fromVariables({
    branch: ["BITBUCKET_BRANCH"],
    commit: ["BITBUCKET_COMMIT"],
    tag: ["BITBUCKET_TAG"],
    pullRequest: ["BITBUCKET_PR_ID"],
    pullRequestBranch: ["BITBUCKET_BRANCH"],
    // The merge with the destination is made in the checkout only.
    pullRequestCommit: ["BITBUCKET_COMMIT"],
    baseBranch: ["BITBUCKET_PR_DESTINATION_BRANCH"],
    repository: ["BITBUCKET_GIT_HTTP_ORIGIN"],
    pullRequestUrl: page(
      "https://bitbucket.org/",
      "BITBUCKET_REPO_FULL_NAME",
      "/pull-requests/",
      "BITBUCKET_PR_ID",
    ),
    url: page(
      "https://bitbucket.org/",
      "BITBUCKET_REPO_FULL_NAME",
      "/pipelines/results/",
      "BITBUCKET_BUILD_NUMBER",
    ),
  }),
  // https://docs.bitrise.io/en/bitrise-ci/references/available-environment-variables
  BITRISE: fromVariables({
    branch: ["BITRISE_GIT_BRANCH"],
    commit: ["BITRISE_GIT_COMMIT", "GIT_CLONE_COMMIT_HASH"],
    tag: ["BITRISE_GIT_TAG"],
    pullRequest: ["BITRISE_PULL_REQUEST", "PULL_REQUEST_ID"],
    pullRequestBranch: ["BITRISE_GIT_BRANCH"],
    pullRequestCommit: ["BITRISE_GIT_COMMIT"],
    baseBranch: ["BITRISEIO_GIT_BRANCH_DEST"],
    fork: ["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"],
    repository: ["GIT_REPOSITORY_URL"],
    author: ["GIT_CLONE_COMMIT_AUTHOR_NAME"],
    url: ["BITRISE_BUILD_URL"],
  }),
  // https://buddy.works/docs/pipelines/environment-variables
  BUDDY: fromVariables({
    branch: ["BUDDY_EXECUTION_BRANCH", "BUDDY_RUN_BRANCH"],
    commit: ["BUDDY_EXECUTION_REVISION", "BUDDY_RUN_COMMIT"],
    tag: ["BUDDY_EXECUTION_TAG", "BUDDY_RUN_TAG"],
    pullRequest: ["BUDDY_EXECUTION_PULL_REQUEST_NO", "BUDDY_EXECUTION_PULL_REQUEST_ID", "BUDDY_RUN_PR_NO"],
    pullRequestBranch: ["BUDDY_EXECUTION_PULL_REQUEST_HEAD_BRANCH", "BUDDY_RUN_PR_HEAD_BRANCH"],
    baseBranch: ["BUDDY_EXECUTION_PULL_REQUEST_BASE_BRANCH", "BUDDY_RUN_PR_BASE_BRANCH"],
    repository: ["BUDDY_SCM_URL"],
    url: ["BUDDY_EXECUTION_URL", "BUDDY_RUN_URL"],
  }),
  // https://buildkite.com/docs/pipelines/configure/environment-variables
  BUILDKITE: fromVariables({
    branch: ["BUILDKITE_BRANCH"],
    commit: ["BUILDKITE_COMMIT"],
    tag: ["BUILDKITE_TAG"],
    pullRequest: ["BUILDKITE_PULL_REQUEST"],
    pullRequestBranch: ["BUILDKITE_BRANCH"],
    pullRequestCommit: ["BUILDKITE_COMMIT"],
    baseBranch: ["BUILDKITE_PULL_REQUEST_BASE_BRANCH"],
    fork: ["BUILDKITE_PULL_REQUEST_REPO"],
    repository: ["BUILDKITE_REPO"],
    author: ["BUILDKITE_BUILD_AUTHOR"],
    defaultBranch: ["BUILDKITE_PIPELINE_DEFAULT_BRANCH"],
    url: ["BUILDKITE_BUILD_URL"],
  }),
  // https://circleci.com/docs/reference/variables
  CIRCLE: fromVariables({
    branch: ["CIRCLE_BRANCH"],
    commit: ["CIRCLE_SHA1"],
    tag: ["CIRCLE_TAG"],
    // Every branch with a pull request has CIRCLE_PULL_REQUEST: a build of `develop` stays one of `develop`.
    isPullRequest: (variables) =>
      variables.first("CIRCLE_PR_NUMBER") !== undefined ||
      variables.first("CIRCLE_BRANCH")?.startsWith("pull/") === true,
    pullRequest: ["CIRCLE_PR_NUMBER", "CIRCLE_PULL_REQUEST", "CI_PULL_REQUEST"],
    pullRequestBranch: ["CIRCLE_BRANCH"],
    pullRequestCommit: ["CIRCLE_SHA1"],
    fork: ["CIRCLE_PR_USERNAME"],
    repository: ["CIRCLE_REPOSITORY_URL"],
    url: ["CIRCLE_BUILD_URL"],
  }),
  // https://cirrus-ci.org/guide/writing-tasks/#environment-variables
  CIRRUS: fromVariables({
    branch: ["CIRRUS_BRANCH"],
    commit: ["CIRRUS_CHANGE_IN_REPO"],
    tag: ["CIRRUS_TAG"],
    pullRequest: ["CIRRUS_PR"],
    // CIRRUS_BRANCH is pull/NUMBER.
    pullRequestCommit: ["CIRRUS_CHANGE_IN_REPO"],
    baseBranch: ["CIRRUS_BASE_BRANCH"],
    repository: ["CIRRUS_REPO_CLONE_URL"],
    defaultBranch: ["CIRRUS_DEFAULT_BRANCH"],
    url: page("https://cirrus-ci.com/build/", "CIRRUS_BUILD_ID"),
  }),
  // https://developers.cloudflare.com/pages/configuration/build-configuration
  CLOUDFLARE_PAGES: fromVariables({ branch: ["CF_PAGES_BRANCH"], commit: ["CF_PAGES_COMMIT_SHA"] }),
  // https://developers.cloudflare.com/workers/ci-cd/builds/configuration
  CLOUDFLARE_WORKERS: fromVariables({ branch: ["WORKERS_CI_BRANCH"], commit: ["WORKERS_CI_COMMIT_SHA"] }),
  // https://codefresh.io/docs/docs/pipelines/variables
  CODEFRESH: fromVariables({
    branch: ["CF_BRANCH"],
    commit: ["CF_REVISION"],
    tag: ["CF_RELEASE_TAG"],
    pullRequest: ["CF_PULL_REQUEST_NUMBER"],
    pullRequestBranch: ["CF_BRANCH"],
    pullRequestCommit: ["CF_PULL_REQUEST_HEAD_SHA", "CF_REVISION"],
    baseBranch: ["CF_PULL_REQUEST_TARGET", "CF_BASE_BRANCH"],
    url: ["CF_BUILD_URL"],
    author: ["CF_COMMIT_AUTHOR"],
  }),
  // https://docs.codemagic.io/yaml-basic-configuration/environment-variables
  CODEMAGIC: fromVariables({
    branch: ["CM_BRANCH"],
    commit: ["CM_COMMIT"],
    tag: ["CM_TAG"],
    isPullRequest: (variables) => variables.isTrue("CM_PULL_REQUEST"),
    pullRequest: ["CM_PULL_REQUEST_NUMBER"],
    pullRequestBranch: ["CM_BRANCH"],
    pullRequestCommit: ["CM_COMMIT"],
    baseBranch: ["CM_PULL_REQUEST_DEST"],
    url: page("https://codemagic.io/app/", "CM_PROJECT_ID", "/build/", "CM_BUILD_ID"),
  }),
  // https://docs.drone.io/pipeline/environment/reference; Harness CI sets the same variables
  DRONE: drone(),
  HARNESS: drone(),
  // https://cloud.google.com/build/docs/configuring-builds/substitute-variable-values, mapped to variables
  GOOGLE_CLOUD_BUILD: fromVariables({
    branch: ["BRANCH_NAME"],
    commit: ["COMMIT_SHA", "REVISION_ID"],
    tag: ["TAG_NAME"],
    pullRequest: ["_PR_NUMBER"],
    pullRequestBranch: ["_HEAD_BRANCH"],
    pullRequestCommit: ["COMMIT_SHA"],
    baseBranch: ["_BASE_BRANCH"],
    fork: ["_HEAD_REPO_URL"],
  }),
  // https://devcenter.heroku.com/articles/heroku-ci
  HEROKU: fromVariables({ branch: ["HEROKU_TEST_RUN_BRANCH"], commit: ["HEROKU_TEST_RUN_COMMIT_VERSION"] }),
  // https://docs.netlify.com/build/configure-builds/environment-variables
  NETLIFY: fromVariables({
    branch: ["HEAD", "BRANCH"],
    commit: ["COMMIT_REF"],
    isPullRequest: (variables) =>
      variables.isTrue("PULL_REQUEST") || variables.first("CONTEXT") === "deploy-preview",
    pullRequest: ["REVIEW_ID"],
    pullRequestBranch: ["HEAD"],
    pullRequestCommit: ["COMMIT_REF"],
    isDefaultBranch: (variables) => isProduction(variables.first("CONTEXT")),
    repository: ["REPOSITORY_URL"],
    url: page("https://app.netlify.com/sites/", "SITE_NAME", "/deploys/", "DEPLOY_ID"),
  }),
  // https://render.com/docs/environment-variables
  RENDER: fromVariables({
    branch: ["RENDER_GIT_BRANCH"],
    commit: ["RENDER_GIT_COMMIT"],
    isPullRequest: (variables) => variables.isTrue("IS_PULL_REQUEST"),
    pullRequestBranch: ["RENDER_GIT_BRANCH"],
    pullRequestCommit: ["RENDER_GIT_COMMIT"],
  }),
  // https://docs.screwdriver.cd/user-guide/environment-variables
  SCREWDRIVER: fromVariables({
    branch: ["GIT_BRANCH", "PIPELINE_BRANCH"],
    commit: ["SD_BUILD_SHA"],
    tag: ["SD_TAG_NAME"],
    pullRequest: ["SD_PULL_REQUEST"],
    pullRequestBranch: ["PR_BRANCH_NAME"],
    pullRequestCommit: ["SD_BUILD_SHA"],
    baseBranch: ["PR_BASE_BRANCH_NAME"],
    repository: ["SCM_URL"],
    url: page("SD_UI_URL", "pipelines/", "SD_PIPELINE_ID", "/builds/", "SD_BUILD_ID"),
  }),
  // https://docs.semaphore.io/reference/env-vars
  SEMAPHORE: fromVariables({
    branch: ["SEMAPHORE_GIT_BRANCH"],
    commit: ["SEMAPHORE_GIT_SHA"],
    tag: ["SEMAPHORE_GIT_TAG_NAME"],
    pullRequest: ["SEMAPHORE_GIT_PR_NUMBER"],
    pullRequestBranch: ["SEMAPHORE_GIT_PR_BRANCH"],
    pullRequestCommit: ["SEMAPHORE_GIT_PR_SHA"],
    baseBranch: ["SEMAPHORE_GIT_BRANCH"],
    fork: ["SEMAPHORE_GIT_PR_SLUG"],
    repository: ["SEMAPHORE_GIT_REPO_SLUG"],
    url: page("SEMAPHORE_ORGANIZATION_URL", "/workflows/", "SEMAPHORE_WORKFLOW_ID"),
  }),
  // https://man.sr.ht/builds.sr.ht
  SOURCEHUT: fromVariables({ branch: ["GIT_REF"], commit: [], url: ["JOB_URL"] }),
  // https://docs.travis-ci.com/user/environment-variables
  TRAVIS: fromVariables({
    branch: ["TRAVIS_BRANCH"],
    commit: ["TRAVIS_COMMIT"],
    tag: ["TRAVIS_TAG"],
    pullRequest: ["TRAVIS_PULL_REQUEST"],
    pullRequestBranch: ["TRAVIS_PULL_REQUEST_BRANCH"],
    pullRequestCommit: ["TRAVIS_PULL_REQUEST_SHA"],
    baseBranch: ["TRAVIS_BRANCH"],
    fork: ["TRAVIS_PULL_REQUEST_SLUG"],
    repository: ["TRAVIS_REPO_SLUG"],
    url: ["TRAVIS_BUILD_WEB_URL"],
  }),
  // https://go-vela.github.io/docs/reference/environment
  VELA: fromVariables({
    branch: ["VELA_BUILD_BRANCH"],
    commit: ["VELA_BUILD_COMMIT"],
    tag: ["VELA_BUILD_TAG"],
    isPullRequest: (variables) => variables.first("VELA_BUILD_EVENT")?.startsWith("pull_request") === true,
    pullRequest: ["VELA_BUILD_PULL_REQUEST", "VELA_PULL_REQUEST"],
    pullRequestBranch: ["VELA_PULL_REQUEST_SOURCE"],
    pullRequestCommit: ["VELA_BUILD_COMMIT"],
    baseBranch: ["VELA_PULL_REQUEST_TARGET", "VELA_BUILD_BASE_REF"],
    repository: ["VELA_REPO_LINK"],
    defaultBranch: ["VELA_REPO_BRANCH"],
    author: ["VELA_BUILD_AUTHOR"],
    url: ["VELA_BUILD_LINK"],
  }),
  // https://vercel.com/docs/environment-variables/system-environment-variables
  VERCEL: fromVariables({
    branch: ["VERCEL_GIT_COMMIT_REF"],
    commit: ["VERCEL_GIT_COMMIT_SHA"],
    pullRequest: ["VERCEL_GIT_PULL_REQUEST_ID"],
    pullRequestBranch: ["VERCEL_GIT_COMMIT_REF"],
    pullRequestCommit: ["VERCEL_GIT_COMMIT_SHA"],
    author: ["VERCEL_GIT_COMMIT_AUTHOR_NAME"],
    isDefaultBranch: (variables) => isProduction(variables.first("VERCEL_TARGET_ENV", "VERCEL_ENV")),
  }),
  // https://woodpecker-ci.org/docs/usage/environment
  WOODPECKER: fromVariables({
    branch: ["CI_COMMIT_BRANCH"],
    commit: ["CI_COMMIT_SHA"],
    tag: ["CI_COMMIT_TAG"],
    isPullRequest: (variables) => woodpeckerEvent(variables)?.startsWith("pull_request") === true,
    isPreview: (variables) => /^(?:deploy|release)/.test(woodpeckerEvent(variables) ?? ""),
    pullRequest: ["CI_COMMIT_PULL_REQUEST"],
    pullRequestBranch: ["CI_COMMIT_SOURCE_BRANCH"],
    pullRequestCommit: ["CI_COMMIT_SHA"],
    baseBranch: ["CI_COMMIT_TARGET_BRANCH"],
    repository: ["CI_REPO_URL", "CI_REPO_LINK"],
    defaultBranch: ["CI_REPO_DEFAULT_BRANCH"],
    author: ["CI_COMMIT_AUTHOR"],
    url: ["CI_PIPELINE_URL", "CI_BUILD_LINK"],
  }),
  // https://developer.apple.com/documentation/xcode/environment-variable-reference
  XCODE_CLOUD: fromVariables({
    branch: ["CI_BRANCH"],
    commit: ["CI_COMMIT"],
    tag: ["CI_TAG"],
    pullRequest: ["CI_PULL_REQUEST_NUMBER"],
    pullRequestBranch: ["CI_PULL_REQUEST_SOURCE_BRANCH"],
    pullRequestCommit: ["CI_PULL_REQUEST_SOURCE_COMMIT"],
    baseBranch: ["CI_PULL_REQUEST_TARGET_BRANCH"],
    fork: ["CI_PULL_REQUEST_SOURCE_REPO"],
    repository: ["CI_PULL_REQUEST_TARGET_REPO"],
    url: ["CI_BUILD_URL"],
  }),
};

function drone(): BuildReader {
  return fromVariables({
    branch: ["DRONE_BRANCH", "DRONE_COMMIT_BRANCH"],
    commit: ["DRONE_COMMIT_SHA", "DRONE_COMMIT"],
    tag: ["DRONE_TAG"],
    isPullRequest: (variables) => variables.first("DRONE_BUILD_EVENT") === "pull_request",
    isPreview: (variables) => /^(?:promote|rollback)$/.test(variables.first("DRONE_BUILD_EVENT") ?? ""),
    pullRequest: ["DRONE_PULL_REQUEST"],
    pullRequestBranch: ["DRONE_SOURCE_BRANCH", "DRONE_COMMIT_BRANCH"],
    pullRequestCommit: ["DRONE_COMMIT_SHA", "DRONE_COMMIT"],
    baseBranch: ["DRONE_TARGET_BRANCH"],
    repository: ["DRONE_REPO_LINK"],
    defaultBranch: ["DRONE_REPO_BRANCH"],
    author: ["DRONE_COMMIT_AUTHOR_NAME", "DRONE_COMMIT_AUTHOR"],
    url: ["DRONE_BUILD_LINK"],
  });
}

/** True in the context that a site's default branch is deployed in; undefined outside of deployments. */
function isProduction(context: string | undefined): boolean | undefined {
  return context === undefined ? undefined : context === "production";
}

function woodpeckerEvent(variables: Variables): string | undefined {
  return variables.first("CI_PIPELINE_EVENT", "CI_BUILD_EVENT");
}

/** Joins texts and the values of variables, whose names are in capitals, to an address; undefined if one is missing. */
function page(...parts: readonly string[]): (variables: Variables) => string | undefined {
  return (variables) => {
    const values = parts.map((part) => {
      if (!/^[A-Z][A-Z0-9_]+$/.test(part)) return part;
      const value = variables.first(part);
      return value !== undefined && /^https?:/.test(value) ? value.replace(/\/$/, "") : value;
    });
    return values.includes(undefined) ? undefined : values.join("");
  };
}
