import { expect, test } from "vitest";
import { decidePromotion } from "./promotion.ts";
import type { Source } from "./source.ts";

const BUILD: Source = {
  isBuild: true,
  kind: "branch",
  system: "GitLab CI",
  branch: "main",
  commit: undefined,
  pullRequest: undefined,
  baseBranch: undefined,
  defaultBranch: "main",
  isDefaultBranch: undefined,
  repository: undefined,
  author: undefined,
  pullRequestUrl: undefined,
  url: undefined,
};

test.each<[string, Partial<Source>, string | undefined, boolean, string | undefined]>([
  ["the default branch", {}, undefined, true, "current: branch main is the default branch."],
  [
    "another branch",
    { branch: "feature/x" },
    undefined,
    false,
    "stored, not current: branch feature/x, the default branch is main.",
  ],
  [
    "another branch with a pull request",
    { branch: "feature/x", pullRequest: "812" },
    undefined,
    false,
    "stored, not current: branch feature/x (pull request 812), the default branch is main.",
  ],
  [
    "a pull request",
    { kind: "pull_request", pullRequest: "812" },
    undefined,
    false,
    "stored, not current: pull request 812.",
  ],
  [
    "a merge queue",
    { kind: "merge_queue", baseBranch: "main" },
    undefined,
    false,
    "stored, not current: the merge queue of main.",
  ],
  ["a tag", { kind: "tag" }, undefined, false, "stored, not current: a tag."],
  ["a preview", { kind: "preview" }, undefined, false, "stored, not current: a preview or deployment."],
  [
    "a fork",
    { kind: "fork", branch: "someone:main" },
    undefined,
    false,
    "stored, not current: someone:main of a fork.",
  ],
  [
    "an unknown branch",
    { branch: undefined },
    undefined,
    false,
    "stored, not current: the branch of this build is unknown. Pass --promote where its runs are to become current.",
  ],
  [
    "a branch whose system knows no default branch",
    { branch: "develop", defaultBranch: undefined },
    undefined,
    false,
    "stored, not current: branch develop, and the default branch is unknown. Set defaultBranch in waymark.yaml or on the service's page, or pass --promote.",
  ],
  [
    "main, whose system knows no default branch",
    { defaultBranch: undefined },
    undefined,
    true,
    "current: branch main is taken for the default branch, which is unknown. Set defaultBranch in waymark.yaml or on the service's page if it is another one.",
  ],
  [
    "the branch of waymark.yaml",
    { branch: "develop" },
    "develop",
    true,
    "current: branch develop is the default branch.",
  ],
  [
    "main, where waymark.yaml names another branch",
    { isDefaultBranch: true },
    "develop",
    false,
    "stored, not current: branch main, the default branch is develop.",
  ],
  [
    "production",
    { branch: "trunk", defaultBranch: undefined, isDefaultBranch: true },
    undefined,
    true,
    "current: branch trunk is the default branch.",
  ],
  [
    "no production",
    { defaultBranch: undefined, isDefaultBranch: false },
    undefined,
    false,
    "stored, not current: branch main is not the default branch.",
  ],
  ["a laptop's default branch", { isBuild: false }, undefined, true, undefined],
  [
    "a laptop's folder without git",
    { isBuild: false, branch: undefined, defaultBranch: undefined },
    undefined,
    true,
    undefined,
  ],
  [
    "a laptop's other branch",
    { isBuild: false, branch: "feature/x" },
    undefined,
    true,
    "current, although this checkout is of branch feature/x, and the default branch is main. --no-promote only stores a run.",
  ],
])("a run of %s", (_, facts, defaultBranch, promote, note) => {
  expect(decidePromotion({ ...BUILD, ...facts }, { asked: undefined, defaultBranch })).toEqual({
    promote,
    note,
  });
});

test.each([true, false])("the choice of an option counts in every build: %s", (asked) => {
  for (const kind of ["branch", "pull_request", "tag"] as const) {
    const decided = decidePromotion({ ...BUILD, kind }, { asked, defaultBranch: "other" });
    expect(decided).toEqual({ promote: asked, note: undefined });
  }
});
