import { expect, test } from "vitest";
import { endpointAddress, endpointNamed, isSamePath } from "./endpoint-address.ts";

test("an endpoint's address names it, whatever its path has", () => {
  const endpoint = { method: "GET", path: "/a b/{id}?x=1&y#z" };
  const address = new URL(endpointAddress("s", endpoint, "r"), "https://waymark.example");
  expect(address.pathname).toBe("/services/s/endpoint");
  expect(endpointNamed(address.searchParams.get("of") ?? "")).toEqual(endpoint);
  expect(address.searchParams.get("run")).toBe("r");
});

test.each(["", "GET", "GET ", " /books"])("a link with %j names no endpoint", (text) => {
  expect(endpointNamed(text)).toBeUndefined();
});

test("endpoints are the same when only their path parameters have other names", () => {
  expect(isSamePath("/books/{id}/pages/{n}", "/books/{book}/pages/{page}")).toBe(true);
  expect(isSamePath("/books/{id}", "/books/id")).toBe(false);
});
