import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

// A scope with a resource type and no id is for every resource of this type, on every list.

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const LISTS: [string, string, string[]][] = [
  ["/api/services", "services:read", ["service"]],
  ["/api/endpoints?q=a", "endpoints:read", ["service"]],
  ["/api/findings", "endpoints:read", ["service"]],
  ["/api/environments", "environments:read", ["environment"]],
  ["/api/journeys", "journeys:read", ["workflow"]],
  ["/api/journey-runs", "journeys:read", ["workflow", "environment"]],
  ["/api/journey-schedules", "journeys:read", ["workflow", "environment"]],
  ["/api/api-keys", "api-keys:read", ["api_key"]],
];

it.each(LISTS)("%s is for keys of its resource type", async (path, permission, types) => {
  const id = "00000000-0000-4000-8000-000000000001";
  const address = path === "/api/api-keys" ? `${path}?organizationId=${stack.organizationId}` : path;
  const statusFor = async (scope: Record<string, unknown>) => {
    const key = await createKey(stack, [{ permission, ...scope }]);
    return (await stack.http.get(address, { key })).status;
  };
  const found: string[] = [];
  for (const resourceType of ["service", "environment", "workflow", "api_key", "other"]) {
    if ((await statusFor({ resourceType })) === 200) found.push(resourceType);
  }
  expect(found.toSorted()).toEqual(types.toSorted());
  // An id narrows it to one resource. Only services are listed for such a key.
  const ofOne = types[0] === "service" ? 200 : 403;
  expect(await statusFor({ resourceType: types[0], resourceId: id })).toBe(ofOne);
});
