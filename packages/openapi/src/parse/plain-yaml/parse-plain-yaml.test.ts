import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { stringify } from "yaml";
import { parseYaml, type YamlReading } from "../parse-yaml.ts";
import { parsePlainYaml } from "./parse-plain-yaml.ts";

const root = path.resolve(import.meta.dirname, "../../../../..");

/** Returns the readings of both parsers where the quick one differs from the full YAML parser in a value or a fault. */
function difference(text: string) {
  const plain = parsePlainYaml(text);
  if (plain === undefined) return undefined;
  const quick = reading(plain);
  const full = attempt(() => reading(parseYaml(text, "spec.yaml")));
  return isDeepStrictEqual(quick, full) ? undefined : { text, quick, full };
}

/** Returns a reading also as JSON, because the order of members is part of the value. */
function reading({ value, sourceText }: Pick<YamlReading, "value" | "sourceText">) {
  return { value, json: JSON.stringify(value), texts: textsOf(value, sourceText) };
}

function textsOf(value: unknown, sourceText: YamlReading["sourceText"]): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([key, member]: [string, unknown]) =>
    typeof member === "object"
      ? textsOf(member, sourceText)
      : (sourceText(value, key) ?? JSON.stringify(member)),
  );
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

test.each([
  ...globSync("examples/**/*.yaml", { cwd: root }),
  ...PUBLISHED_DESCRIPTIONS.filter((name) => name.endsWith(".yaml")),
])("%s is read the quick way, to the value of the parser for all of YAML", (file) => {
  const text = readFileSync(path.resolve(root, file), "utf8");
  expect(parsePlainYaml(text)).toBeDefined();
  expect(difference(text)).toBeUndefined();
});

const words = (text: string) => text.split(" ");
const SCALARS = [
  ...words(
    "yes no on y True TRUE tRUE Null ~ null nul '' \"\" 0 -0 +1 12 012 0o14 0x1F 0b1 1_000 1e3 1E-3 1. .5 -.5",
  ),
  ...words(
    "1.0 1.10 -0.0 9007199254740993 123456789012345678901234567890 0.1234567890123456789 .inf -.INF .nan",
  ),
  ...words(
    "Infinity 1:30 2001-12-14 2001-12-14T21:59:43Z 1.2.3 127.0.0.1 = << __proto__ a#b a:b :a -a ?a @a `a",
  ),
  ...words(
    '%a &a *a !a | [] {} [a,b] {a} {a:1} {"a":1} [a]b []b:c {}b [a a] a, \'a\'\'b\' \'a\'b "a"b "\\/" "\\q"',
  ),
  ...words('"\\x41" "\\u00e9" "\\U0001F600" "\\U001F44Da" "\\ud83d" é 😀 \u2028 \u0085 \ufeff a\r a\t \ta'),
  "",
  `1${"0".repeat(400)}`,
  "a #b",
  "a: b",
  "- a",
  "? a",
  "&a b",
  "!!str 1",
  "[]b: c",
  "a\tb",
  "a ",
  '"a\\nb"',
  "[a, b]",
  "[a, ]",
  "[, a]",
  "[a, [b]]",
  "[a: b]",
  "{a: b}",
  "{? a : b}",
  "[a\n  b]",
  "'a\n  b'",
  '"a\\\n  b"',
  "|\n  a",
  ">\n  a\n  b",
  "|2\n  a",
  ">-\n\n  a\n   b\n\n  c",
  "|+\n  a\n\n",
  "|\n\n",
  "|\n\ta",
  "a\n  b",
  "a\n\n  b",
  "a\n  #b",
];
const PLACES: Record<string, (scalar: string) => string> = {
  "a value": (scalar) => `a: ${scalar}\nb: 1\n`,
  "a value on its own line": (scalar) => `a:\n  ${scalar}\nb: 1\n`,
  "the last value": (scalar) => `a: ${scalar}`,
  "a key": (scalar) => `${scalar}: 1\nb: 2\n`,
  "an explicit key": (scalar) => `? ${scalar}\n: 1\n`,
  "a list item": (scalar) => `a:\n- ${scalar}\n- b\n`,
  "a list item that goes on": (scalar) => `a:\n- ${scalar}b: 1\n  c: 2\n`,
  "an item in brackets": (scalar) => `a: [${scalar}, b]\n`,
  "a value in braces": (scalar) => `a: { b: ${scalar}, c: 1 }\n`,
  "a key in braces": (scalar) => `a: { ${scalar}: 1 }\n`,
  "the whole document": (scalar) => scalar,
  "a value after a marker": (scalar) => `---\na: ${scalar}\n`,
};

test.each(Object.entries(PLACES))(
  "a scalar as %s has the value of the parser for all of YAML, or none",
  (_, place) => {
    for (const scalar of SCALARS) expect(difference(place(scalar))).toBeUndefined();
  },
);

describe("what is left to the parser for all of YAML:", () => {
  test.each([
    ["an anchor", "a: &x 1\n"],
    ["an alias", "a: &x 1\nb: *x\n"],
    ["a cycle", "a: &x [*x]\n"],
    ["a tag", "a: !!str 1\n"],
    ["a merge", "a: { b: 1 }\nc:\n  <<: { d: 1 }\n"],
    ["a directive", "%YAML 1.2\n---\na: 1\n"],
    ["two documents", "a: 1\n---\nb: 2\n"],
    ["the end of a document", "a: 1\n...\n"],
    ["a tab", "a:\tb\n"],
    ["carriage returns", "a: 1\r\nb: 2\r\n"],
    ["a list in the place of a key", "? [a]\n: 1\n"],
    ["__proto__", "__proto__: { a: 1 }\n"],
    ["a key that occurs twice", "a: { b: 1, c: 2, b: 3 }\n"],
    ["a long key", `${"k".repeat(1025)}: 1\n`],
    ["what is nested deeply", `a: ${"[".repeat(150)}${"]".repeat(150)}\n`],
    ["more values than a spec has", `a: [${"1,".repeat(1_000_001)}1]\n`],
    ["a list", "- a\n"],
    ["a fault", "a: [\n"],
    // Texts that js-yaml reads differently, or in which it sees no fault.
    ["a key behind an item", "a:\n- ''b: 1\n"],
    ["an indented marker", " ---\na: 1\n"],
    ["a marker of the end at the start", "...\na: 1\n"],
    ["an empty block scalar", "a:\n\n#\n    |+\n\nb: 1\n"],
    ["a block scalar that states its indentation", "a: |2\n    b\n    "],
    ["an escaped line break before an empty line", 'a: "b\\\n\n  c"\n'],
    ["a number that is not exact", "a: 9007199254740993\n"],
  ])("%s", (_, text) => {
    expect(parsePlainYaml(text)).toBeUndefined();
  });
});

const anyJson = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 });

test("whatever is written as YAML is read as the same value", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(20, 80), (value, lineWidth) => {
      expect(difference(stringify(value, { lineWidth }))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

/** A specification's lines with things put between their characters, most of which make faults of them. */
const damaged = fc
  .tuple(
    fc.constantFrom(
      "paths:\n  /a/{id}:\n    get:\n      tags: [a, b]\n      summary: It's\n        long\n      responses:\n        200:\n          description: 'ok'\n",
      'a:\n- b: |\n    text\n     more\n\n  c: >-\n    folded\n    text\n- d: {e: 1, "f": [g]}\n',
      "? a long key\n: b: 1.0\n  c: true\n'd': \"e\\n\"\n# comment\nf: # comment\n  - - g\n    - h\n",
    ),
    fc.array(
      fc.tuple(
        fc.nat({ max: 120 }),
        fc.nat({ max: 3 }),
        fc.oneof(
          fc.constantFrom(...SCALARS),
          fc.constantFrom(
            "\n",
            "\n  ",
            "\n- ",
            ": ",
            "- ",
            " #",
            "'",
            '"',
            "[",
            "]",
            "{",
            "}",
            ",",
            "? ",
            "|\n",
            "\n...\n",
          ),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, changes]) => {
    let changed = text;
    for (const [at, removed, put] of changes)
      changed = changed.slice(0, at) + put + changed.slice(at + removed);
    return changed;
  });

test("no damage to a spec makes it another value, or hides a fault", () => {
  let read = 0;
  fc.assert(
    fc.property(damaged, (text) => {
      expect(difference(text)).toBeUndefined();
      if (parsePlainYaml(text) !== undefined) read++;
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(100);
});
