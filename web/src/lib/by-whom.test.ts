import { expect, test } from "vitest";
import { byWhom } from "./by-whom.ts";

test("a person is named before the key, and a key only if its name is known", () => {
  const ada = { type: "user", id: "u", displayName: "Ada" };
  expect(byWhom(ada, "laptop")).toBe(", by Ada");
  expect(byWhom({ ...ada, displayName: null }, "laptop")).toBe(", by key laptop");
  expect(byWhom(null, "pipeline")).toBe(", by key pipeline");
  expect(byWhom(null, undefined)).toBe("");
});
