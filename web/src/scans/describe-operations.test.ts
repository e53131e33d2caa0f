import { expect, test } from "vitest";
import { describeOperations } from "./describe-operations.ts";

const operations = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ method: "get", path: `/${n}` }));

test("three operations are named, and the others counted", () => {
  expect(describeOperations(operations(1))).toEqual({ shown: "GET /0", more: 0 });
  expect(describeOperations(operations(3))).toEqual({ shown: "GET /0, GET /1, GET /2", more: 0 });
  expect(describeOperations(operations(5))).toEqual({ shown: "GET /0, GET /1, GET /2", more: 2 });
});
