import { expect, it } from "vitest";
import { sortedJson } from "./sorted-json.ts";

it("is the same text for objects with the same members in another order, at every depth", () => {
  const text = sortedJson({ b: [{ y: 1, x: 2 }], a: null });
  expect(text).toBe(sortedJson({ a: null, b: [{ x: 2, y: 1 }] }));
  expect(text.split("\n")).toEqual([
    "{",
    '  "a": null,',
    '  "b": [',
    "    {",
    '      "x": 2,',
    '      "y": 1',
    "    }",
    "  ]",
    "}",
  ]);
});

it("keeps the order of lists, and members that objects inherit elsewhere", () => {
  expect(sortedJson([2, 1])).not.toBe(sortedJson([1, 2]));
  const named: unknown = JSON.parse('{"__proto__": 1, "\\ud800": 2}');
  expect(sortedJson(named)).toBe('{\n  "__proto__": 1,\n  "\\ud800": 2\n}');
});
