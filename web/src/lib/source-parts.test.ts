import { ofSourceFields, type ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { expect, test } from "vitest";
import { commitAddress, sourceParts } from "./source-parts.ts";

const NOTHING: ScanSource = ofSourceFields(() => null);
const COMMIT = "8587dbd0123456789012345678901234567890ab";
const lineOf = (source: Partial<ScanSource>) =>
  sourceParts({ ...NOTHING, ...source })
    .map(({ text }) => text)
    .join(" · ");

test.each([
  [
    { pullRequest: "812", branch: "drop-v0", baseBranch: "main", author: "Mira", commit: COMMIT },
    "pull request 812 · drop-v0 → main · Mira · 8587dbd",
  ],
  [{ pullRequest: "812", branch: "someone:main" }, "pull request 812 · someone:main"],
  [{ pullRequest: "812", baseBranch: "main" }, "pull request 812 · into main"],
  [{ branch: "feature/x", commit: COMMIT }, "branch feature/x · 8587dbd"],
  [{ kind: "branch", branch: "release/1.x", baseBranch: "release/1.x" }, "branch release/1.x"],
  [{ kind: "pull_request", pullRequest: "812" }, "pull request 812"],
  [{ kind: "tag", commit: COMMIT }, "tag · 8587dbd"],
  [
    { kind: "merge_queue", pullRequest: "812", baseBranch: "main" },
    "pull request 812 · merge queue · into main",
  ],
  [{ url: "https://ci.example/7", defaultBranch: "main" }, ""],
])("the line of %j is %j", (source, line) => {
  expect(lineOf(source)).toBe(line);
});

test("a pull request is a link only if its address is one of the web", () => {
  const hrefOf = (pullRequestUrl: string | null) =>
    sourceParts({ ...NOTHING, pullRequest: "812", pullRequestUrl })[0]?.href;
  expect(hrefOf("https://git.example/acme/shop/pull/812")).toBe("https://git.example/acme/shop/pull/812");
  // The server refuses these. The console doesn't rely on that.
  for (const address of [
    "javascript:alert(1)",
    "data:text/html,x",
    "//git.example/812",
    "git@git.example:812",
    null,
  ])
    expect(hrefOf(address)).toBeUndefined();
});

test("a scan whose source is not known has no parts", () => {
  expect(sourceParts(null)).toEqual([]);
});

test.each([
  ["https://github.com/acme/shop.git", "https://github.com/acme/shop/commit/c0ffee1"],
  ["https://gitlab.com/acme/group/shop/", "https://gitlab.com/acme/group/shop/-/commit/c0ffee1"],
  ["https://bitbucket.org/acme/shop", "https://bitbucket.org/acme/shop/commits/c0ffee1"],
  ["https://git.example/acme/shop", null],
  ["git@github.com:acme/shop.git", null],
  ["javascript:alert(1)//github.com", null],
  ["https://", null],
  [null, null],
])("the page of a commit in %s is %s", (repository, address) => {
  expect(commitAddress({ repository, commit: "c0ffee1" })).toBe(address);
  expect(commitAddress({ repository, commit: null })).toBe(null);
});
