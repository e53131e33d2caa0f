import { describe, expect, test } from "vitest";
import { parseYaml } from "./parse-yaml.ts";

const LIMITS = { tokens: 1_000, depth: 20 };
const parse = (text: string) => parseYaml(text, "spec.yaml", LIMITS).value;

describe("a text that is read", () => {
  test("has at most as many tokens as the limit says", () => {
    expect(parse(`[${"1,".repeat(300)}]`)).toHaveLength(300);
    expect(() => parse(`[${"1,".repeat(400)}]`)).toThrow(
      "spec.yaml has more than 1000 YAML tokens, which no OpenAPI file needs.",
    );
  });

  test("is nested at most as deeply as the limit says", () => {
    expect(parse(`${"[".repeat(15)}${"]".repeat(15)}`)).toEqual(expect.any(Array));
    expect(() => parse(`${"[".repeat(25)}${"]".repeat(25)}`)).toThrow(
      "spec.yaml is nested too deeply to be read.",
    );
  });
});

test.each([
  ["!!binary aGk=", "aGk="],
  ["!!timestamp 2020-01-01", "2020-01-01"],
  ["!!set {a, b}", { a: null, b: null }],
  ["!!omap [{a: 1}]", [{ a: 1 }]],
  ["!!pairs [[a, 1]]", [["a", 1]]],
  ["{!!binary aGk=: 1}", { "aGk=": 1 }],
  ["{<<: {a: 1}, b: 2}", { a: 1, b: 2 }],
  ["[2020-01-01, 2020-01-01 10:00:00]", ["2020-01-01", "2020-01-01 10:00:00"]],
  ["{2020-01-01: 1}", { "2020-01-01": 1 }],
])("%s is what JSON can write, as it stands in the text", (text, value) => {
  expect(parse(text)).toEqual(value);
  expect(parse(`%YAML 1.1\n---\n${text}\n`)).toEqual(value);
});
