import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, GIT_ENVIRONMENT } from "../test-support/git-repository.ts";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { findSource, submittedSource } from "./source.ts";

/** A machine with git, and one without it. */
const MACHINES = [
  ["git", GIT_ENVIRONMENT],
  ["the files of git", { ...GIT_ENVIRONMENT, PATH: "/nonexistent" }],
] as const;

describe.each(MACHINES)("a checkout, by %s", (_, env) => {
  test.each(["main", "feature/größe", "a#b+c@d'e(f%g", "x.lock-free"])("of branch %s", async (branch) => {
    const { folder, git } = await createRepository({ branch });
    mkdirSync(path.join(folder, "deep/er"), { recursive: true });
    expect(await findSource({ cwd: path.join(folder, "deep/er"), env })).toMatchObject({
      isBuild: false,
      branch,
      commit: git("rev-parse", "HEAD"),
      repository: "https://git.example/acme/shop.git",
    });
  });

  test("with packed refs and the default branch of its remote", async () => {
    const { folder, git } = await createRepository();
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    git("pack-refs", "--all");
    expect(await findSource({ cwd: folder, env })).toMatchObject({
      branch: "trunk",
      commit: git("rev-parse", "HEAD"),
      defaultBranch: "main",
    });
  });

  test("in a worktree inside of another checkout", async () => {
    const { folder, git } = await createRepository();
    git("worktree", "add", "--quiet", "-b", "side", "trees/side");
    git("commit", "--quiet", "--allow-empty", "--message=two");
    const cwd = path.join(folder, "trees/side");
    expect(await findSource({ cwd, env })).toMatchObject({
      branch: "side",
      commit: git("rev-parse", "side"),
    });
  });

  test("in a submodule", async () => {
    const inner = await createRepository({ branch: "inner" });
    const { folder, git } = await createRepository();
    git("submodule", "--quiet", "add", inner.folder, "part");
    const cwd = path.join(folder, "part");
    expect(await findSource({ cwd, env })).toMatchObject({
      branch: "inner",
      commit: inner.git("rev-parse", "HEAD"),
      repository: inner.folder,
    });
  });

  test("without a commit, or none at all, has less", async () => {
    const { path: cwd } = await temporaryFolder();
    expect(await findSource({ cwd, env })).toMatchObject({ branch: undefined, commit: undefined });
    execFileSync("git", ["init", "--quiet", "--initial-branch=new", cwd], { env: GIT_ENVIRONMENT });
    expect(await findSource({ cwd, env })).toMatchObject({ branch: "new", commit: undefined });
  });
});

describe("a build", () => {
  const jenkins = { ...GIT_ENVIRONMENT, JENKINS_URL: "https://ci.example", BUILD_ID: "7" };

  test("of a pull request whose system made a merge has the commit of its author", async () => {
    const { folder, git } = await createRepository({ branch: "main" });
    git("switch", "--quiet", "--create", "feature");
    git("commit", "--quiet", "--allow-empty", "--message=two");
    const commit = git("rev-parse", "HEAD");
    git("switch", "--quiet", "main");
    git("commit", "--quiet", "--allow-empty", "--message=three");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("merge", "--quiet", "--no-ff", "--no-edit", "feature");
    const env = { ...jenkins, CHANGE_ID: "7", CHANGE_TARGET: "main", CHANGE_BRANCH: "feature" };
    expect(
      await findSource({ cwd: folder, env: { ...env, GIT_COMMIT: git("rev-parse", "HEAD") } }),
    ).toMatchObject({
      kind: "pull_request",
      branch: "feature",
      commit,
    });
    // A merge that the remote has is the author's own.
    git("update-ref", "refs/remotes/origin/PR-7", "HEAD");
    expect(await findSource({ cwd: folder, env })).toMatchObject({ commit: git("rev-parse", "HEAD") });
  });

  test("of a merge that can't be told apart has no commit", async () => {
    const { folder, git } = await createRepository({ branch: "main" });
    git("switch", "--quiet", "--create", "feature");
    git("commit", "--quiet", "--allow-empty", "--message=two");
    git("switch", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "--no-edit", "feature");
    const env = { ...jenkins, CHANGE_ID: "7", CHANGE_TARGET: "main" };
    expect(await findSource({ cwd: folder, env })).toMatchObject({ commit: undefined });
  });

  test("that checked out another branch than the one that started it is of that branch", async () => {
    const { folder, git } = await createRepository({ branch: "main" });
    const sha = git("rev-parse", "HEAD");
    git("switch", "--quiet", "--create", "side");
    git("commit", "--quiet", "--allow-empty", "--message=two");
    const env = { ...GIT_ENVIRONMENT, GITLAB_CI: "true", CI_PROJECT_URL: "https://git.example/acme/shop" };
    const build = { ...env, CI_COMMIT_SHA: sha, CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main" };
    expect(await findSource({ cwd: folder, env: build })).toMatchObject({
      branch: "side",
      commit: git("rev-parse", "side"),
    });
  });

  test("that made a commit on its branch is of the author's commit", async () => {
    const { folder, git } = await createRepository({ branch: "main" });
    const sha = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "--detach");
    git("commit", "--quiet", "--allow-empty", "--message=version");
    const env = { ...GIT_ENVIRONMENT, GITLAB_CI: "true", CI_PROJECT_URL: "https://git.example/acme/shop" };
    const build = { ...env, CI_COMMIT_SHA: sha, CI_COMMIT_BRANCH: "main" };
    expect(await findSource({ cwd: folder, env: build })).toMatchObject({ branch: "main", commit: sha });
  });

  test("of an unknown system with a detached HEAD has the branch whose newest commit it is", async () => {
    const { folder, git } = await createRepository();
    git("checkout", "--quiet", "--detach");
    git("branch", "--quiet", "--delete", "trunk");
    git("update-ref", "refs/remotes/origin/feature", "HEAD");
    const env = { ...GIT_ENVIRONMENT, CI: "true" };
    expect(await findSource({ cwd: folder, env })).toMatchObject({ isBuild: true, branch: "feature" });
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    expect(await findSource({ cwd: folder, env })).toMatchObject({ isBuild: true, branch: undefined });
  });

  test.each([
    ["https://ci:pw@ci.example/job/7/", "https://ci.example/job/7/"],
    // The server would refuse the scan.
    ["https://ci.example/job/7/?jwt=t", undefined],
  ])("whose page is %s has %s", async (page, url) => {
    const { folder } = await createRepository();
    const env = { ...GIT_ENVIRONMENT, JENKINS_URL: "https://ci.example/", BUILD_ID: "7", BUILD_URL: page };
    expect((await findSource({ cwd: folder, env })).url).toBe(url);
  });

  test.each([
    ["https://oauth2:pw@git.example/a/b.git", "https://git.example/a/b.git"],
    ["git@git.example:a/b.git", "git@git.example:a/b.git"],
    ["oauth2:pw@git.example/a/b.git", undefined],
  ])("of the repository %s has %s", async (origin, repository) => {
    const { folder, git } = await createRepository();
    git("remote", "set-url", "origin", origin);
    expect((await findSource({ cwd: folder, env: GIT_ENVIRONMENT })).repository).toBe(repository);
  });
});

describe("the author", () => {
  test("of a commit is a name without an e-mail address and invisible characters", async () => {
    const { folder, git } = await createRepository();
    const authorOf = async (name: string) => {
      git("commit", "--quiet", "--allow-empty", "--message=two", `--author=${name} <m@shop.example>`);
      return (await findSource({ cwd: folder, env: GIT_ENVIRONMENT })).author;
    };
    expect(await authorOf("Mira Žák")).toBe("Mira Žák");
    expect(await authorOf("Mira\u202e\u0007 Žák")).toBe("Mira Žák");
    expect(await authorOf("Mira (mira@shop.example)")).toBeUndefined();
    expect(await authorOf("mira@shop.example")).toBeUndefined();
    expect(await authorOf("🦊".repeat(101))).toBe("🦊".repeat(100));
  });

  test("is that of the repository's .mailmap", async () => {
    const { folder, write } = await createRepository();
    await write(".mailmap", "Mira Žák <a@example.test>\n");
    expect((await findSource({ cwd: folder, env: GIT_ENVIRONMENT })).author).toBe("Mira Žák");
  });

  test("is the one that the CI system names where the checkout lacks the commit", async () => {
    const { folder } = await createRepository();
    const build = { GITLAB_CI: "true", CI_COMMIT_SHA: "c0ffee10", CI_COMMIT_REF_NAME: "main" };
    const env = { ...GIT_ENVIRONMENT, ...build, CI_COMMIT_AUTHOR: "Mira <mira@shop.example>" };
    expect((await findSource({ cwd: folder, env })).author).toBe("Mira");
  });
});

describe("the source of a request", () => {
  const mergeRequest = {
    ...GIT_ENVIRONMENT,
    GITLAB_CI: "true",
    CI_PROJECT_URL: "https://git.example/acme/shop",
    CI_JOB_URL: "https://git.example/acme/shop/-/jobs/7",
    CI_COMMIT_SHA: "c0ffee1",
    CI_COMMIT_REF_NAME: "drop-v0",
    CI_COMMIT_AUTHOR: "Mira <mira@shop.example>",
    CI_DEFAULT_BRANCH: "main",
    CI_MERGE_REQUEST_IID: "812",
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "drop-v0",
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "release/1.x",
    CI_MERGE_REQUEST_PROJECT_PATH: "acme/shop",
    CI_MERGE_REQUEST_PROJECT_URL: "https://git.example/acme/shop",
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "someone/shop",
  };
  const sourceOf = async (env: Record<string, string | undefined>, defaultBranch?: string) => {
    const { path: cwd } = await temporaryFolder();
    return submittedSource(await findSource({ cwd, env }), { defaultBranch });
  };

  test("of a fork's merge request has every field", async () => {
    expect(await sourceOf(mergeRequest)).toEqual({
      branch: "someone:drop-v0",
      commit: "c0ffee1",
      url: "https://git.example/acme/shop/-/jobs/7",
      kind: "pull_request",
      pullRequest: "812",
      pullRequestUrl: "https://git.example/acme/shop/-/merge_requests/812",
      baseBranch: "release/1.x",
      defaultBranch: "main",
      repository: "https://git.example/acme/shop",
      author: "Mira",
    });
  });

  test("has the default branch of waymark.yaml, and none outside of a pipeline", async () => {
    expect(await sourceOf(mergeRequest, "develop")).toMatchObject({ defaultBranch: "develop" });
    const { folder: cwd, git } = await createRepository({ branch: "main" });
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    const source = await findSource({ cwd, env: GIT_ENVIRONMENT });
    expect(submittedSource(source, { defaultBranch: "main" })).not.toHaveProperty("defaultBranch");
  });

  test("of a branch that lives long has this branch as its base, too", async () => {
    const { CI_MERGE_REQUEST_IID, ...env } = { ...mergeRequest, CI_COMMIT_BRANCH: "release/1.x" };
    const push = {
      ...env,
      CI_COMMIT_REF_NAME: "release/1.x",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: undefined,
    };
    const { path: cwd } = await temporaryFolder();
    const baseOf = async (build: Record<string, string | undefined>, ...longLivedBranches: string[]) =>
      submittedSource(await findSource({ cwd, env: build }), { longLivedBranches }).baseBranch;
    expect(await baseOf(push, "main", "release/*")).toBe("release/1.x");
    expect(await baseOf(push, "release/1.x")).toBe("release/1.x");
    expect(await baseOf(push, "release/1", "x", "*/1.x")).toBeUndefined();
    expect(await baseOf({ ...mergeRequest, CI_MERGE_REQUEST_IID }, "someone:*")).toBe("release/1.x");
  });

  test("has the branch of a build that the system calls primary as the default branch", async () => {
    const env = { JENKINS_URL: "https://ci.example", BUILD_ID: "7", BRANCH_NAME: "trunk" };
    expect(await sourceOf({ ...env, BRANCH_IS_PRIMARY: "true" })).toMatchObject({ defaultBranch: "trunk" });
    expect(await sourceOf(env)).not.toHaveProperty("defaultBranch");
  });

  test("lacks what the server would refuse", async () => {
    const hostile = {
      ...mergeRequest,
      CI_COMMIT_AUTHOR: "mira@shop.example",
      CI_MERGE_REQUEST_IID: "812; rm",
      CI_MERGE_REQUEST_PROJECT_URL: "javascript:alert(1)//",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "a\nb",
      CI_DEFAULT_BRANCH: "x".repeat(501),
      CI_PROJECT_URL: `https://git.example/${"x".repeat(500)}`,
    };
    expect(Object.keys(await sourceOf(hostile)).toSorted()).toEqual(["branch", "commit", "kind", "url"]);
  });

  test.each([
    ["https://github.com/acme/shop.git", "https://github.com/acme/shop/pull/812"],
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop/pull/812"],
    ["git@gitlab.com:acme/apis/shop.git", "https://gitlab.com/acme/apis/shop/-/merge_requests/812"],
    ["https://bitbucket.org/acme/shop", "https://bitbucket.org/acme/shop/pull-requests/812"],
    ["https://git.example/acme/shop", undefined],
    ["https://github.com.evil.example/acme/shop", undefined],
  ])("has the page of a pull request of %s: %s", async (repository, pullRequestUrl) => {
    const env = {
      BUILDKITE: "true",
      BUILDKITE_REPO: repository,
      BUILDKITE_PULL_REQUEST: "812",
      BUILDKITE_BRANCH: "drop-v0",
    };
    expect((await sourceOf(env)).pullRequestUrl).toBe(pullRequestUrl);
  });
});
