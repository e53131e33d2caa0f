import { expect, test } from "vitest";
import { DUPLICATES_MAX, LINES_MAX } from "./duplicate-keys.ts";
import { isObject, ownValue } from "../json.ts";
import { parseDocument } from "./parse-document.ts";

test.each([
  [
    "JSON",
    '{\n "a": {"x": 1,\n  "x": 2},\n "b": [{"y\\u0061": 1,\n\n "ya": 2, "y\\"a": 3}],\n "a": {"x": 3}\n}',
  ],
  [
    "JSON with tabs",
    '{\n\t"a": {"x": 1,\n\t\t"x": 2},\n\t"b": [{"ya": 1,\n\n\t"ya": 2}],\n\t"a": {"x": 3}\n}',
  ],
  ["YAML", "\na: { x: 1,\n  x: 2 }\nb:\n- { ya: 1 }\n- ya: 2\n  'ya': 3\na: { x: 3 }\n"],
  ["YAML with an anchor", "z: &z 1\na: { x: 1,\n  x: 2 }\nb: [{ ya: *z,\n\n  ya: *z }]\na: { x: 3 }\n"],
  ["YAML with CRLF", "\r\na: { x: 1,\r\n  x: 2 }\r\nb: [{ ya: 1,\r\n\r\n  ya: 2 }]\r\na: { x: 3 }\r\n"],
])("keys that occur twice have their places, and the last one counts: %s", async (_, text) => {
  const { value, duplicateKeys } = await parseDocument(text, "a");
  expect(value).toMatchObject({ a: { x: 3 } });
  expect(duplicateKeys.map(({ path }) => path.join(" ")).toSorted()).toEqual([
    "a",
    "a x",
    expect.stringMatching(/^b [01] ya$/),
  ]);
  const lines = text.split("\n");
  for (const { path, lines: places } of duplicateKeys) {
    expect(places).toHaveLength(2);
    for (const place of places) expect(lines[place - 1]).toMatch(new RegExp(`${path.at(-1)}|y.u0061`));
  }
});

test.each([
  ["JSON", (body: string) => `{${body}}`],
  ["YAML", (body: string) => `x: &x 1\ny: { ${body.replaceAll("\n", "\n  ")} }\n`],
])("the keys and lines that are listed have a limit: %s", async (_, text) => {
  const often = await parseDocument(text('"k": 1,\n'.repeat(5000) + '"k": 1'), "a");
  expect(often.duplicateKeys.map(({ lines }) => lines.length)).toEqual([LINES_MAX]);
  const many = Array.from({ length: 3000 }, (__, index) => `"k${index % 1500}": 1`).join(",\n");
  expect((await parseDocument(text(many), "a")).duplicateKeys).toHaveLength(DUPLICATES_MAX);
});

test.each([
  '{"a":{"b":1},"b":{"a":"\\"b\\":"},"c":[{"a":1},{"a":2}],"\\\\":"\\\\","d":": \\"a\\" : "}',
  "a: { b: 1 }\nc: [{ a: 1 }, { a: 2 }]\n",
  "x: &x { b: 1 }\ny: &y { c: 1 }\nz:\n  <<: *x\n  <<: *y\n  b: 2\n",
])("a text without them has none: %s", async (text) => {
  expect((await parseDocument(text, "a")).duplicateKeys).toEqual([]);
});

test.each([
  ['{"a":[1.0, 2024, 1e3, true, "x"],"b":1.10}', ["1.0", "2024", "1e3", "true", "x", "1.10"]],
  [
    "a: [1.0, 2024, 0x10, True, 2024-01-01]\nb: 1.10\n",
    ["1.0", "2024", "0x10", "True", "2024-01-01", "1.10"],
  ],
  ["a: [1.0, 2024, true]\nb: 1.10\n", ["1.0", "2024", "true", "1.10"]],
  ["%YAML 1.1\n---\na: [2024-01-01, on]\nb: 012\n", ["2024-01-01", "on", "012"]],
  ["t: &t 1.0\nm: &m { b: 2.0, a: [3.0] }\nn: { <<: *m, a: [*t] }\n", ["1.0", "2.0"], ["n"]],
  ["a: [1]\nb: 1.0\nb: 2\n", ["1", "2"]],
])("the text of a scalar is as it was written: %s", async (text, expected, at: string[] = []) => {
  const { value, sourceText } = await parseDocument(text, "a");
  const container = at.reduce<unknown>((from, key) => ownValue(from, key), value);
  if (!isObject(container) || !Array.isArray(container["a"])) throw new Error("no list");
  const list: unknown[] = container["a"];
  const texts = list.map(async (item, index) => (await sourceText(list, index)) ?? JSON.stringify(item));
  const last = (await sourceText(container, "b")) ?? JSON.stringify(container["b"]);
  const found = [...(await Promise.all(texts)), last].map((each) => each.replaceAll('"', ""));
  expect(found).toEqual(expected);
});

test.each(['{\n"a": {\n"b": [1,\n2]}}', "a:\n\n  b:\n  - 1\n  - 2\n", "z: &z 1\na:\n\n  b: [*z,\n    2]\n"])(
  "the line of a member is known: %s",
  async (text) => {
    const { lineOf } = await parseDocument(text, "a");
    const line = (part: string) => text.split("\n").findIndex((each) => each.includes(part)) + 1;
    expect(await lineOf(["a", "b", "1"])).toBe(line("2"));
    expect(await lineOf(["a", "b"])).toBe(line("b"));
    expect(await lineOf(["a", "c"])).toBe(line("a"));
  },
);
