import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let world: KeySuiteWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Roles of an organization's own: none of them is a part of a built-in one. */
const OWN_ROLES = new Map([
  ["triage", ["endpoints:read", "findings:decide", "changes:approve"]],
  ["people", ["principals:read", "principals:manage", "teams:manage"]],
  ["keys", ["api-keys:read", "api-keys:create", "api-keys:revoke", "audit:read", "trust:read"]],
]);

it.each([...BUILT_IN_ROLES, ...OWN_ROLES])(
  "a user with the role %s may call the operations whose permissions it has, and no others",
  async (role, permissions) => {
    if (OWN_ROLES.has(role))
      await world.stack.http.request("PUT", `/api/roles/${role}`, { body: { permissions } });
    const { id: owner } = await storeUser(world.stack, { roles: [role] });
    const wrong: string[] = [];
    for (const [operation, route] of Object.entries(ROUTE_CASES)) {
      const isExpected =
        permissions.includes("*") || route.needs.every((needed) => permissions.includes(needed));
      // A key for each request, because one of them revokes it.
      const key = await createKey(world.stack, ["*"], { owner });
      const { method, path, ...options } = await route.request(world);
      const answer = await world.stack.http.request(method, path, { key, ...options });
      const isAllowed = answer.status === route.success;
      const isRefused = answer.status === 403 && errorOf(answer).code === "permission_denied";
      if (isExpected ? !isAllowed : !isRefused) wrong.push(`${operation}: ${answer.status} ${answer.text}`);
    }
    expect(wrong).toEqual([]);
  },
);

it("a disabled user may call no operation, whatever role the user has", async () => {
  const { stack } = world;
  const { id: owner } = await storeUser(stack);
  const key = await createKey(stack, ["*"], { owner });
  expect((await stack.http.get("/api/limits", { key })).status).toBe(200);
  expect((await stack.http.post(`/api/principals/${owner}/disable`)).status).toBe(200);
  const wrong: string[] = [];
  for (const [operation, route] of Object.entries(ROUTE_CASES)) {
    const { method, path, ...options } = await route.request(world);
    const answer = await stack.http.request(method, path, { key, ...options });
    if (answer.status !== 401 || errorOf(answer).code !== "principal_disabled")
      wrong.push(`${operation}: ${answer.status} ${answer.text}`);
  }
  expect(wrong).toEqual([]);
});
