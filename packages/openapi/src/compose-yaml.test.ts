import { expect, test } from "vitest";
import { LineCounter } from "yaml";
import { composeYaml, YamlLimitError } from "./compose-yaml.ts";

const compose = (text: string) =>
  composeYaml(text, { limits: { tokens: 1_000, depth: 20 }, lines: new LineCounter(), composer: {} });

test("a text within its limits is composed, and a second document is told", () => {
  expect(compose("a: [1, {b: 2}]").map((document) => document.toJS() as unknown)).toEqual([
    { a: [1, { b: 2 }] },
  ]);
  expect(compose("a: 1\n---\nb: 2\n---\nc: 3\n")).toHaveLength(2);
});

test.each([
  ["flow lists", "depth", "[".repeat(1_000_000)],
  ["flow mappings", "depth", "{a: ".repeat(1_000_000)],
  ["block lists", "depth", "- ".repeat(1_000_000)],
  ["items", "tokens", `[${"1,".repeat(1_000_000)}]`],
])("endless %s end at the limit of the %s", (_what, limit, text) => {
  expect(() => compose(text)).toThrow(YamlLimitError);
  expect(() => compose(text)).toThrow(limit);
});
