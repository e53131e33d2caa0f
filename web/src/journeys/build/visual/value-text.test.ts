import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fieldText, fieldValue } from "./value-text.ts";

it("shows any value so that the same value is read from the field again", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('"50"', "50", "[]", " 1 ", "true", "{")),
      (value) => {
        const json = JSON.parse(JSON.stringify(value));
        expect(fieldValue(fieldText(json))).toEqual(json);
      },
    ),
  );
});

it("shows texts and expressions as they are, and takes numbers, lists and objects for such", () => {
  expect(fieldText("$inputs.title")).toBe("$inputs.title");
  expect(fieldText("{$inputs.a}-{$inputs.b}")).toBe("{$inputs.a}-{$inputs.b}");
  expect(fieldText("50")).toBe('"50"');
  expect(fieldText(50)).toBe("50");
  expect(fieldValue("50")).toBe(50);
  expect(fieldValue("[1]")).toEqual([1]);
  expect(fieldValue("2026-11-23")).toBe("2026-11-23");
});
