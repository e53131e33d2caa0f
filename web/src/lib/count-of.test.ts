import { expect, test } from "vitest";
import { countOf } from "./count-of.ts";

test("one is not a plural", () => {
  expect(countOf(0, "findings")).toBe("0 findings");
  expect(countOf(1, "findings")).toBe("1 finding");
  expect(countOf(2, "endpoints")).toBe("2 endpoints");
});
