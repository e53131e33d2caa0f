import { expect, test } from "vitest";
import { belongsToOperation, operationOf } from "./operation.ts";

test("an operation in a link keeps what it names, blanks in the path too", () => {
  expect(operationOf("GET", "/a b")).toBe("GET /a b");
  expect(belongsToOperation("GET /a b", "GET", "/a b")).toBe(true);
  expect(belongsToOperation("GET /a", "POST", "/a")).toBe(false);
  expect(belongsToOperation("GET /a", null, "/a")).toBe(true);
  expect(belongsToOperation(operationOf(null, "/a"), "POST", "/a")).toBe(true);
  expect(belongsToOperation("GET /a", "GET", null)).toBe(false);
});
