import { expect, test } from "vitest";
import { serviceNameProblem, tidyServiceName } from "./service-name.ts";

test.each([
  "orders",
  "Orders API (v2)",
  "caf\u00e9",
  "\u6ce8\u6587",
  "#1 @ 100%",
  "\u{1f468}\u200d\u{1f469}",
  "\u0646\u0627\u0645\u0647\u200c\u0647\u0627",
])("%j can be a service's name", (name) => {
  expect(serviceNameProblem(name)).toBeUndefined();
  expect(tidyServiceName(name)).toBe(name);
});

test.each([
  [" orders", /white space/],
  ["orders\n", /white space/],
  ["orders\u00a0", /white space/],
  [" ", /white space/],
  ["or\nders", /U\+000A/],
  ["or\u200bders", /U\+200B as character 3$/],
  ["\u{1f468}\u{1f469}\u202ex", /U\+202E as character 3$/],
  ["orders\ufeff", /white space/],
  ["\u202eorders", /U\+202E/],
  ["or\u00adders", /U\+00AD/],
  ["my\u00a0orders", /U\+00A0/],
  ["cafe\u0301", /NFC/],
])("%j can't", (name, problem) => {
  expect(serviceNameProblem(name)).toMatch(problem);
});

test("a name from a variable of a pipeline is stored as people see it", () => {
  expect(["orders \n", "\torders", "cafe\u0301\r\n"].map(tidyServiceName)).toEqual([
    "orders",
    "orders",
    "caf\u00e9",
  ]);
});
