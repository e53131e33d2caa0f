import { assert, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson } from "./format-json.ts";

describe("formatJson", () => {
  it("formats as JSON.stringify does", () => {
    assert(
      property(jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(formatJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it.each([
    ['{"id":9007199254740993,"a":1.0,"a":2}', '{\n  "id": 9007199254740993,\n  "a": 1.0,\n  "a": 2\n}'],
    [' { "a" : [ ] , "b":{ } } ', '{\n  "a": [],\n  "b": {}\n}'],
    ['["a, b: {c}", "\\"]"]', '[\n  "a, b: {c}",\n  "\\"]"\n]'],
    ['"text"', '"text"'],
    // Numbers that viewers of other tools have rounded.
    [
      '{"ftid":5198263755391630333,"totalScore":0.0,"errors":[]}',
      '{\n  "ftid": 5198263755391630333,\n  "totalScore": 0.0,\n  "errors": []\n}',
    ],
    [
      "[-1449639299451211264,5.107091491635510056019771245]",
      "[\n  -1449639299451211264,\n  5.107091491635510056019771245\n]",
    ],
    ["[1.2859736125485259E-22,-0]", "[\n  1.2859736125485259E-22,\n  -0\n]"],
  ])("changes only white space: %s", (text, formatted) => {
    expect(formatJson(text)).toBe(formatted);
  });

  it("leaves a text that is nested so deeply that indents would be most of it", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(formatJson(nested(100))?.split("\n")).toHaveLength(201);
    expect(formatJson(nested(40_000))).toBeUndefined();
  });

  it("formats a string that is longer than the stack of a regular expression", () => {
    const text = JSON.stringify(["a".repeat(10_000_000)]);
    expect(formatJson(text)?.length).toBe(text.length + 4);
  });

  it.each(["", "plain", "<a/>", '{"cut": "', "{}{}", '{"a":1}\n{"a":2}'])(
    "leaves other texts: %j",
    (text) => {
      expect(formatJson(text)).toBeUndefined();
    },
  );
});
