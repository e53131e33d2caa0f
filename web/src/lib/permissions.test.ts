import { expect, test } from "vitest";
import { onlyEnvironmentOf, onlyServiceOf } from "./permissions.ts";

const read = (serviceId?: string | null) => ({ permission: "services:read", serviceId });

test("a key belongs to one service if all of its scopes that read services are limited to that one", () => {
  expect(onlyServiceOf({ scopes: [read("a"), { permission: "scans:create" }] })).toBe("a");
  expect(onlyServiceOf({ scopes: [{ permission: "*", serviceId: "a" }] })).toBe("a");
  expect(onlyServiceOf({ scopes: [read("a"), read("a")] })).toBe("a");
  expect(onlyServiceOf({ scopes: [read("a"), read("b")] })).toBeUndefined();
  expect(onlyServiceOf({ scopes: [read("a"), read(null)] })).toBeUndefined();
  expect(onlyServiceOf({ scopes: [read()] })).toBeUndefined();
  expect(onlyServiceOf({ scopes: [{ permission: "scans:create", serviceId: "a" }] })).toBeUndefined();
});

test("a key belongs to one environment if all of its scopes that read journeys are limited to that one", () => {
  const limited = { permission: "journeys:read", environmentId: "a" };
  expect(onlyEnvironmentOf({ scopes: [limited, { permission: "environments:read" }] }, "journeys:read")).toBe(
    "a",
  );
  expect(
    onlyEnvironmentOf({ scopes: [limited, { permission: "journeys:read" }] }, "journeys:read"),
  ).toBeUndefined();
  expect(onlyEnvironmentOf({ scopes: [limited] }, "environments:read")).toBeUndefined();
});
