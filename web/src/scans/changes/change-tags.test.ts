import type { NormalizedEndpoint } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import type { ChangeCard, ChangeLevel } from "./change-cards.ts";
import { changesByTag, tagFinder, WHOLE_DESCRIPTION } from "./change-tags.ts";

const operation = (path: string, kind: "operation" | "webhook" = "operation") => ({
  method: "GET",
  path,
  kind,
});

const endpoint = (path: string, ...tags: string[]): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags,
  summary: null,
});

const card = (level: ChangeLevel, ...paths: string[]): ChangeCard => ({
  key: paths.join(),
  level,
  operations: paths.map((path) => operation(path)),
  operationCount: paths.length,
  verdicts: [],
  endpoint: undefined,
});

const NONE = { added: [], removed: [], changed: [] };

test.each([
  ["the first tag of the run's endpoint, whatever its parameters are called", "/a/{key}", "first"],
  ["the tag that an endpoint had which is gone", "/gone", "old"],
  ["the first part of the path without tags", "/b/c", "/b"],
  ["the part behind a version", "/v2/b/c", "/v2/b"],
  ["the whole path of a version alone", "/v2", "/v2"],
])("an operation has %s", (_what, path, tag) => {
  const tagOf = tagFinder([endpoint("/a/{id}", "first", "second"), endpoint("/b/c", "")], {
    ...NONE,
    removed: [endpoint("/gone", "old")],
  });
  expect(tagOf(operation(path))).toBe(tag);
});

test("webhooks are together", () => {
  expect(tagFinder([], NONE)(operation("paid", "webhook"))).toBe("Webhooks");
});

test("tags with the most severe changes are first, and a card is in each tag of its operations once", () => {
  const tags = changesByTag(
    [
      card("breaking", "/c/1", "/c/2", "/a/1"),
      card("safe", "/b/1"),
      card("documentation", "/a/2"),
      card("maybe"),
    ],
    tagFinder([], NONE),
  );
  expect(tags.map(({ tag, counts, cards }) => [tag, counts.breaking, cards.length])).toEqual([
    ["/a", 1, 2],
    ["/c", 1, 1],
    [WHOLE_DESCRIPTION, 0, 1],
    ["/b", 0, 1],
  ]);
});
