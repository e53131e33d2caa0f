import { describe, expect, test } from "vitest";
import { parseDocument } from "./parse.ts";
import { parseText } from "./parse-text.ts";

function faults(text: string): string[] {
  return parseDocument(text, { file: "t.yaml" }).problems.map(
    ({ line, column, code }) => `${line}:${column} ${code}`,
  );
}

function textFaults(text: string): string[] {
  return parseText(text, { file: "t.yaml" }).problems.map(
    ({ line, column, code }) => `${line}:${column} ${code}`,
  );
}

const HEAD = "arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: [{ name: s, url: u }]\n";

describe("positions", () => {
  const document = parseDocument(
    `${HEAD}workflows:\n  - workflowId: main # why\n    steps:\n      - &s\n        stepId: a\n        operationId: "b"\n`,
    { file: "t.yaml" },
  );

  test("every key and value has its line and column", () => {
    expect(document.problems).toEqual([]);
    expect(document.positions.get("/workflows/0/steps/0/operationId")).toEqual({
      key: { file: "t.yaml", line: 9, column: 9 },
      value: { file: "t.yaml", line: 9, column: 22 },
    });
    expect(document.sourceOf("/info/version")).toEqual({ file: "t.yaml", line: 2, column: 19 });
  });

  test("an unknown pointer gets the position of its nearest ancestor", () => {
    expect(document.sourceOf("/workflows/0/steps/0/successCriteria/3")).toMatchObject({ line: 8, column: 9 });
    expect(document.sourceOf("/nothing/at/all")).toMatchObject({ line: 1, column: 1 });
  });

  test("below an alias they are those of the anchor, the alias itself has its own", () => {
    const { positions } = parseText("a: &x { b: 1 }\nc: *x\n", { file: "t.yaml" });
    expect(positions.get("/c")?.value).toMatchObject({ line: 2, column: 4 });
    expect(positions.get("/c/b")?.value).toMatchObject({ line: 1, column: 12 });
  });

  test("JSON is read as well as YAML, tabs included", () => {
    const { value, positions, problems } = parseText('{\n\t"a": ["x\\u00e9"]\n}', { file: "t.json" });
    expect([value, problems]).toEqual([{ a: ["xé"] }, []]);
    expect(positions.get("/a/0")?.value).toMatchObject({ line: 2, column: 8 });
  });
});

describe("faults", () => {
  test("of structure are reported all at once, each at its place", () => {
    const text = `arazzo: 2.0.0
info: { title: "", zz: 1, version: 3 }
workflows:
  - workflowId: w
    steps:
      - stepId: a
        parameters: [{ reference: $c, in: query }, { name: x, inn: query }]
        onFailure: [{ type: again, name: x, retryAfter: -1 }]
        outputs: { "a b": $x, c: { context: a, selector: d } }
`;
    expect(faults(text)).toEqual([
      "1:1 missing-field",
      "1:9 invalid-value",
      "2:16 invalid-value",
      "2:20 unknown-field",
      "2:36 wrong-type",
      "7:52 missing-field",
      "7:63 unknown-field",
      "8:29 invalid-value",
      "8:57 invalid-value",
      "9:20 invalid-value",
      "9:31 missing-field",
    ]);
  });

  test("are described in words", () => {
    const { problems } = parseDocument(
      `${HEAD}workflows:\n  - workflowId: 5\n    steps: {}\n    stepz: []\n`,
      { file: "t" },
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "workflowId: must be a text, but is a number.",
      "steps: must be a list, but is an object.",
      "The field stepz is unknown here; fields of your own begin with x-.",
    ]);
  });

  test.each([
    ["an unknown alias", "a: *x\n", ["1:4 syntax"]],
    ["a key twice", "a: 1\nb: 2\na: 3\n", ["3:1 duplicate-key"]],
    ["two documents", "a: 1\n---\nb: 1\n", ["2:1 many-documents"]],
    ["a number that can't be kept", "a: 12345678901234567890\n", ["1:4 inexact-number"]],
    ["what JSON can't say", "a: .nan\nb: .inf\n", ["1:4 not-json", "2:4 not-json"]],
    ["an object as key", "? { a: 1 }\n: b\n", ["1:3 syntax", "1:3 syntax"]],
    ["an unclosed list", "a: [1\n", ["2:1 syntax"]],
    ["an unknown tag", "a: !js/function x\n", ["1:4 syntax"]],
    ["an empty file", "", []],
  ])("%s", (_, text, expected) => {
    expect(textFaults(text)).toEqual(expected);
  });

  test("a merge key is explained", () => {
    const { problems } = parseDocument(
      `${HEAD}workflows: [{ <<: {}, workflowId: w, steps: [{ stepId: a }] }]\n`,
      { file: "t" },
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "Merge keys (<<) are no part of YAML 1.2; write the fields out or use components.",
    ]);
  });
});

function layer(name: string, of: string): string {
  return `${name}: &${name} [${Array(9).fill(`*${of}`).join(", ")}]\n`;
}

describe("hostile documents", () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${layer("b", "a")}${layer("c", "b")}${layer("d", "c")}${layer("e", "d")}${layer("f", "e")}${layer("g", "f")}`;

  test.each([
    ["a bomb of aliases", bomb],
    ["an alias of itself", "a: &a [*a]\n"],
    ["a deep flow list", "[".repeat(200_000)],
    ["a deep block list", "- ".repeat(200_000)],
    ["a deep object", "{a: ".repeat(50_000)],
    ["a huge text", "x".repeat(5_000_000)],
    ["too many tokens", "- a\n".repeat(100_000)],
  ])("%s is refused early", (_, text) => {
    const { value, problems } = parseText(text, { file: "t" });
    expect(problems.map(({ code }) => code)).toEqual(["document-too-large"]);
    expect(value).toBeUndefined();
  });

  test("thousands of anchors and aliases are read in linear time", () => {
    const text = Array.from({ length: 5_000 }, (_, n) => `k${n}: &a${n} x\nl${n}: *a${n}\n`).join("");
    expect(parseText(text, { file: "t" }).problems).toEqual([]);
  });

  test("__proto__ is refused as a key, and constructor is a key like any other", () => {
    const { value, problems } = parseText(
      "a: { __proto__: { polluted: 1 }, constructor: { prototype: 1 } }\n",
      { file: "t" },
    );
    expect(problems.map(({ code }) => code)).toEqual(["forbidden-key"]);
    expect(JSON.stringify(value)).toBe('{"a":{"constructor":{"prototype":1}}}');
    expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
  });

  test("the number of problems is bounded", () => {
    const text = Array.from({ length: 2000 }, (_, n) => `a${n}: .nan\n`).join("");
    expect(textFaults(text)).toHaveLength(500);
  });
});
