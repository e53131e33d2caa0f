import { expect, test } from "vitest";
import type { Template } from "../expressions/ast.ts";
import { calledAddress, externalAddress } from "./external-address.ts";

const id: Template[number] = { kind: "inputs", name: "id" };

test.each<[what: string, template: Template, called: string, expected: string]>([
  ["a value in the path", ["https://a.example/x/", id], "https://a.example/x/7", "https://a.example/x/{…}"],
  ["a value as the host", ["https://", id, "/x"], "https://b.example/x", "https://b.example/x"],
  ["a value as the beginning", [id, "/x/{n}"], "https://b.example/base/x/1", "https://b.example/{…}/x/{n}"],
  ["a query", ["https://a.example/x?q=", id], "https://a.example/x?q=1", "https://a.example/x"],
  ["a value after the host", ["https://A.example", id], "https://a.example/x/7", "https://a.example/{…}"],
  [
    "a value after the port",
    ["https://a.example:443", id, "/x"],
    "https://a.example/b/x",
    "https://a.example/{…}/x",
  ],
  ["a value as the port", ["https://a.example:", id, "/x"], "https://a.example/x", "https://a.example/x"],
  ["a value that ends the host", ["https://a.", id, "/x"], "https://a.example/x", "https://a.example/x"],
  [
    "a value within the host",
    ["https://a-", id, ".example/x"],
    "https://a-1.example/x",
    "https://a-1.example/x",
  ],
  ["a value after a query", ["https://a.example?q=", id], "https://a.example/?q=1", "https://a.example"],
  ["no path", ["https://a.example"], "https://a.example/", "https://a.example"],
])(
  "a call is named by its origin, and by the path as the program has it: %s",
  (_what, template, called, expected) => {
    expect(calledAddress(new URL(called), template)).toBe(expected);
  },
);

test("an address of a program shows where values are", () => {
  expect(externalAddress(["https://a.example/x/", id, "?q=", id])).toBe("https://a.example/x/{…}?q={…}");
});
