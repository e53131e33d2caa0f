import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { PUBLIC_ROUTES, ROUTE_CASES, type RouteCase } from "@waymark/test-support/key-suite/route-cases.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";
import { createKey } from "@waymark/test-support/keys.ts";

const ANOTHER_SERVICE = "11111111-1111-1111-1111-111111111111";

let world: KeySuiteWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

interface OpenApi {
  paths: Record<string, Record<string, { operationId?: string; security?: unknown[] }>>;
}

it("the key suite knows every authenticated route that the api registers", async () => {
  const { body } = await world.stack.http.get<OpenApi>("/openapi.json", { key: null });
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  const isPublic = (operation: { security?: unknown[] }) => operation.security?.length === 0;
  const namesOf = (chosen: typeof operations) =>
    chosen.map((operation) => operation.operationId ?? operation.name).toSorted();
  // Fails? Then a route is missing in test/support/key-suite/route-cases.ts, or is there no longer.
  const authenticated = operations.filter((operation) => !isPublic(operation));
  expect(namesOf(authenticated)).toEqual(Object.keys(ROUTE_CASES).toSorted());
  expect(namesOf(operations.filter(isPublic))).toEqual(Object.keys(PUBLIC_ROUTES).toSorted());
});

async function tryRoute(route: RouteCase, key: string | null) {
  const { method, path, body } = await route.request(world);
  return world.stack.http.request(method, path, { key, ...(body === undefined ? {} : { body }) });
}

function newKey(scopes: Parameters<typeof createKey>[1], options?: Parameters<typeof createKey>[2]) {
  return createKey(world.stack, scopes, options);
}

describe.each(Object.entries(ROUTE_CASES))("%s", (_operationId, route) => {
  it("refuses who has no key, junk, or one that is unknown, revoked or expired", async () => {
    const soon = new Date(Date.now() - 1000);
    const tries: [string | null, string][] = [
      [null, "missing_credentials"],
      ["junk", "invalid_api_key"],
      [`${world.stack.apiKey.slice(0, -1)}~`, "invalid_api_key"],
      [await newKey(["*"], { stored: false }), "invalid_api_key"],
      [await newKey(["*"], { revoked: true }), "api_key_revoked"],
      [await newKey(["*"], { expiresAt: soon }), "api_key_expired"],
      [await newKey(["*"], { expiresAt: soon, revoked: true }), "api_key_revoked"],
    ];
    for (const [key, code] of tries) {
      const answer = await tryRoute(route, key);
      expect(errorOf(answer)).toMatchObject({
        status: 401,
        code,
        message: expect.any(String),
        requestId: answer.headers.get("x-request-id"),
      });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("lets a key with the exact scope through, and one with a wider scope", async () => {
    const exact = route.needs.length === 0 ? ["unknown:thing"] : route.needs;
    expect((await tryRoute(route, await newKey(exact))).status).toBe(route.success);
    expect((await tryRoute(route, await newKey(["*"]))).status).toBe(route.success);
  });

  it("shows and gives nothing to another organization's key", async () => {
    // The stranger's own key is not used up by the route that revokes the calling key.
    const key = await createKey({ ...world.stack, organizationId: world.strangers.organizationId }, ["*"]);
    const answer = await tryRoute(route, key);
    const expected = {
      not_found: { status: 404, code: "not_found" },
      organization_mismatch: { status: 403, code: "organization_mismatch" },
      "its own": { status: route.success },
    };
    expect(errorOf(answer)).toMatchObject(expected[route.stranger]);
    for (const ours of [world.organizationId, world.serviceId, world.scanRunId, world.apiKeyId]) {
      expect(answer.text).not.toContain(ours);
    }
  });
});

describe.each(Object.entries(ROUTE_CASES).filter(([, route]) => route.needs.length > 0))(
  "%s, which needs permissions,",
  (_operationId, route) => {
    it.each(route.needs)("refuses a key with every permission but %s, and names it", async (missing) => {
      const others = PERMISSIONS.filter((permission) => permission !== missing);
      const error = errorOf(await tryRoute(route, await newKey([...others, "unknown:thing", "*:*"])));
      expect(error).toMatchObject({ status: 403, code: "permission_denied" });
      expect(error.message).toContain(`lacks the permission ${missing}`);
    });

    it("refuses a key with no scopes at all", async () => {
      expect(errorOf(await tryRoute(route, await newKey([])))).toMatchObject({
        status: 403,
        code: "permission_denied",
      });
    });

    it("holds scopes to what they are bound to, and names the bound", async () => {
      const bound = (constraint: Record<string, unknown>) =>
        newKey(route.needs.map((permission) => ({ permission, ...constraint })));
      for (const [constraint, name] of [
        [{ serviceId: ANOTHER_SERVICE }, "serviceId"],
        [{ environmentId: ANOTHER_SERVICE }, "environmentId"],
        [{ workflowId: ANOTHER_SERVICE }, "workflowId"],
        [{ resourceType: "nothing" }, "resourceType"],
        [{ resourceId: ANOTHER_SERVICE }, "resourceId"],
        [{ resourceConstraints: { serviceNames: ["orders-*"] } }, "resourceConstraints.serviceNames"],
        [{ resourceConstraints: { serviceNames: ["*"], region: "eu" } }, "resourceConstraints"],
      ] as const) {
        const error = errorOf(await tryRoute(route, await bound(constraint)));
        expect(error).toMatchObject({ status: 403, code: "permission_denied" });
        expect(error.message).toContain(name);
      }
      const expected = route.ofService ? route.success : 403;
      for (const constraint of [
        { serviceId: world.serviceId },
        { resourceType: "service", resourceId: world.serviceId },
        { resourceConstraints: { serviceNames: ["payments-*"] } },
        { resourceConstraints: { serviceNames: [world.serviceName] } },
      ]) {
        expect((await tryRoute(route, await bound(constraint))).status).toBe(expected);
      }
    });
  },
);
