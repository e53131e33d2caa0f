import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { readsAll } from "./use-limits.ts";

const ID = "019a8f6e-2f4b-7c1d-9a53-0d6a4c8e7b21";
const services = { permission: "services:read", resourceType: "service" };

test.each<[reads: boolean, what: string, scope: ApiKeyScope]>([
  [true, "the permission", { permission: "services:read" }],
  [true, "every permission", { permission: "*", serviceId: null, resourceConstraints: {} }],
  [true, "all services", { permission: "services:read", resourceType: "service" }],
  [false, "another permission", { permission: "journeys:read" }],
  [false, "all journeys", { permission: "*", resourceType: "workflow" }],
  [false, "one service", { permission: "*", serviceId: ID }],
  [false, "one service by its type and id", { permission: "*", resourceType: "service", resourceId: ID }],
  [false, "one environment", { permission: "*", environmentId: ID }],
  [false, "names of services", { permission: "*", resourceConstraints: { serviceNames: ["a-*"] } }],
  [false, "a constraint of tomorrow", { permission: "*", resourceConstraints: { region: "eu" } }],
])("counts the services of an organization: %s, with a key that has %s", (reads, _what, scope) => {
  expect(readsAll({ scopes: [scope] }, services)).toBe(reads);
});
