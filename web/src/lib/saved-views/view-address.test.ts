import { expect, it } from "vitest";
import { addressOfView, canonicalQuery, isSameQuery } from "./view-address.ts";

it("the address of a view is a page, with its query if there is one", () => {
  expect(addressOfView({ page: "/services", query: "" })).toBe("/services");
  expect(addressOfView({ page: "/", query: "owner=me" })).toBe("/?owner=me");
});

it("a query has only characters that an address may have, and no parameters without a value", () => {
  expect(canonicalQuery("?q=a b<ä>'\"\\&due=&label=team%3Dpayments")).toBe(
    "q=a+b%3C%C3%A4%3E%27%22%5C&label=team%3Dpayments",
  );
});

it("two queries are the same in any order of their parameters", () => {
  expect(isSameQuery("a=1&b=2", "?b=2&a=1&c=")).toBe(true);
  expect(isSameQuery("a=1&b=2", "a=1")).toBe(false);
  expect(isSameQuery("q=a+b", "q=a%20b")).toBe(true);
});
