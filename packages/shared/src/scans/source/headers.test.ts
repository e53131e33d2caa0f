import { expect, test } from "vitest";
import { z } from "zod";
import { SOURCE_HEADERS, sourceHeadersOf, sourceOf } from "./headers.ts";
import { ofSourceFields, type SubmittedSource } from "./schema.ts";

const SOURCE = {
  branch: "someone:größe",
  commit: "8587dbd0",
  url: "https://ci.example/builds/7",
  pullRequest: "812",
  kind: "pull_request",
  baseBranch: "release/1.x",
  defaultBranch: "main",
  author: "Mira Žák 🦊",
  pullRequestUrl: "https://git.example/acme/shop/pull/812",
  repository: "git@git.example:acme/shop.git",
} satisfies Required<SubmittedSource>;
const NOTHING = ofSourceFields(() => null);
const Headers = z.object(SOURCE_HEADERS);

/** Sends a source as its headers, and reads them as the server does. */
const received = (source: SubmittedSource) => sourceOf(Headers.parse(sourceHeadersOf(source)));

test("every field of a source is a header in ASCII, and is read as it was sent", () => {
  const headers = sourceHeadersOf(SOURCE);
  expect(Object.keys(headers).toSorted()).toEqual(Object.keys(SOURCE_HEADERS).toSorted());
  for (const value of Object.values(headers)) expect(value).toMatch(/^[!-~]+$/);
  expect(received(SOURCE)).toEqual(SOURCE);
});

test("a field that is not sent is null, and a source without any field is null", () => {
  expect(received({ author: "Mira" })).toEqual({ ...NOTHING, author: "Mira" });
  expect(received({})).toBeNull();
});

test.each([
  ["waymark-build-kind", "merge queue"],
  ["waymark-build-kind", "constructor"],
  ["waymark-pull-request", "0"],
  ["waymark-pull-request", "-1"],
  ["waymark-pull-request", "812/merge"],
  ["waymark-pull-request", "1".repeat(19)],
  ["waymark-pull-request-url", "javascript:alert(1)"],
  ["waymark-pull-request-url", "https://ci:password@git.example/pull/812"],
  ["waymark-base-branch", "a%0Ab"],
  ["waymark-base-branch", ""],
  ["waymark-default-branch", "x".repeat(501)],
  ["waymark-default-branch", "%ff"],
  ["waymark-repository", "https%3A%2F%2Fci%3Apassword%40git.example%2Facme"],
  ["waymark-repository", "x".repeat(501)],
  ["waymark-author", "%1b%5B31mMira"],
  ["waymark-author", "Mira%E2%80%AE"],
  ["waymark-author", "Mi%E2%80%8Bra"],
  ["waymark-author", "mira%40shop.example"],
  ["waymark-author", "Mira%20%3Cmira%40laptop%3E"],
  ["waymark-author", "x".repeat(101)],
] as const)("the header %s: %s is refused with its name", (name, value) => {
  const issues = Headers.safeParse({ [name]: value }).error?.issues ?? [];
  expect(issues.map(({ path }) => path)).toEqual([[name]]);
});

test("the longest names make no headers that servers refuse: the last fields are left out", () => {
  const branch = "🦊".repeat(500);
  const headers = sourceHeadersOf({ ...SOURCE, branch, baseBranch: branch, repository: "ß".repeat(500) });
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  expect(bytes).toBeLessThan(12_001);
  expect(received({ branch })).toMatchObject({ branch });
  expect(Object.keys(headers)).toEqual(
    expect.arrayContaining(["waymark-branch", "waymark-commit", "waymark-build-url"]),
  );
  expect(headers).not.toHaveProperty("waymark-base-branch");
});
