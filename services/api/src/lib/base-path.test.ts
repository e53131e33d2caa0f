import { expect, it } from "vitest";
import { basePathOf, basePathProblem, withoutBasePath } from "./base-path.ts";

it.each([
  [undefined, ""],
  ["https://waymark.example.com", ""],
  ["https://tools.example.com/waymark", "/waymark"],
  ["https://tools.example.com/a/b.c/waymark~1/", "/a/b.c/waymark~1"],
])("the base path of %s is %j", (address, expected) => {
  expect(basePathOf(address)).toBe(expected);
});

it.each([
  ["/waymark", "/"],
  ["/waymark/", "/"],
  ["/waymark?a=/waymark", "/?a=/waymark"],
  ["/waymark/services?tab=runs", "/services?tab=runs"],
  ["/waymark/waymark/services", "/waymark/services"],
  ["/services", "/services"],
  ["/waymarks/services", "/waymarks/services"],
  ["/waymark-2/services", "/waymark-2/services"],
  ["/Waymark/services", "/Waymark/services"],
  ["/", "/"],
  ["*", "*"],
])("below /waymark, %s is %s", (target, expected) => {
  expect(withoutBasePath(target, "/waymark")).toBe(expected);
  expect(withoutBasePath(target, "")).toBe(target);
});

it.each(["/", "//", "/waymark", "/waymark/", "/tools/api", "/a.b_c~d-e"])("a base path can be %s", (path) => {
  expect(basePathProblem(path)).toBeUndefined();
});

it.each([
  ["/api", "/api"],
  ["/services/waymark/", "/services"],
  ["/a//b", "parts of its path"],
  ["/a%2fb", "parts of its path"],
  ["/a b", "parts of its path"],
  ['/"><script>', "parts of its path"],
  ["/ä", "parts of its path"],
])("a base path can't be %s", (path, problem) => {
  expect(basePathProblem(path)).toContain(problem);
});
