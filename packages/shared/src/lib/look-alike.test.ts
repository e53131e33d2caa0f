import { expect, test } from "vitest";
import { findLookAlikes } from "./look-alike.ts";

test.each([
  ["orders", "Orders"],
  ["orders", "orders "],
  ["orders-api", "orders_api"],
  ["orders-api", "Orders API"],
  ["orders", "\u043erders"],
  ["payments", "p\u0430yments"],
  ["pay1", "payl"],
  ["caf\u00e9", "cafe\u0301"],
  ["caf\u00e9", "cafe"],
  ["orders", "or\u200bders"],
  ["v2", "\uff562"],
])("%j looks like %j", (name, other) => {
  expect(findLookAlikes(name, [other, "something else"])).toEqual([other]);
});

test.each([
  ["orders", "orders"],
  ["orders", "order"],
  ["orders-v1", "orders-v2"],
  ["\u6ce8\u6587", "\u6ce8\u6587\u4e8c"],
  ["payments", "shipments"],
])("%j does not look like another service's name %j", (name, other) => {
  expect(findLookAlikes(name, [other])).toEqual([]);
});
