import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { PUBLIC_ROUTES, ROUTE_CASES, type RouteCase } from "@waymark/test-support/key-suite/route-cases.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";
import { createKey, createKeys, type KeyOptions } from "@waymark/test-support/keys.ts";

const ANOTHER_SERVICE = "11111111-1111-1111-1111-111111111111";
/** Constraints that only services can meet which do not exist. */
const OF_OTHER_SERVICES: readonly Record<string, unknown>[] = [
  { serviceId: ANOTHER_SERVICE },
  { resourceId: ANOTHER_SERVICE },
  { resourceType: "service", resourceId: ANOTHER_SERVICE },
  { resourceConstraints: { serviceNames: ["orders-*"] } },
];
const isOfOtherService = (constraint: object) =>
  OF_OTHER_SERVICES.some((other) => JSON.stringify(other) === JSON.stringify(constraint));

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
  // If this fails, a route is missing in test/support/key-suite/route-cases.ts, or no longer exists.
  const authenticated = operations.filter((operation) => !isPublic(operation));
  expect(namesOf(authenticated)).toEqual(Object.keys(ROUTE_CASES).toSorted());
  expect(namesOf(operations.filter(isPublic))).toEqual(Object.keys(PUBLIC_ROUTES).toSorted());
});

async function tryRoute(route: RouteCase, key: string | null) {
  const { method, path, ...options } = await route.request(world);
  return world.stack.http.request(method, path, { key, ...options });
}

function newKey(scopes: KeyOptions["scopes"]) {
  return createKey(world.stack, scopes);
}

/** A key for each of these, in their order. */
async function withKeys<T>(
  cases: readonly T[],
  keyOf: (each: T) => KeyOptions,
): Promise<{ of: T; key: string }[]> {
  const keys = await createKeys(world.stack, cases.map(keyOf));
  return cases.map((of, index) => ({ of, key: keys[index] ?? "" }));
}

describe.each(Object.entries(ROUTE_CASES))("%s", (_operationId, route) => {
  it("refuses requests without a key, with junk, and with an unknown, revoked or expired key", async () => {
    const soon = new Date(Date.now() - 1000);
    const made = await withKeys(
      [
        { state: { stored: false }, code: "invalid_api_key" },
        { state: { revoked: true }, code: "api_key_revoked" },
        { state: { expiresAt: soon }, code: "api_key_expired" },
        { state: { expiresAt: soon, revoked: true }, code: "api_key_revoked" },
      ],
      ({ state }) => ({ scopes: ["*"], ...state }),
    );
    const tries: [string | null, string][] = [
      [null, "missing_credentials"],
      ["junk", "invalid_api_key"],
      [`${world.stack.apiKey.slice(0, -1)}~`, "invalid_api_key"],
      ...made.map(({ key, of }): [string, string] => [key, of.code]),
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

  it("accepts a key with the exact scope, and one with a wider scope", async () => {
    const exact = route.needs.length === 0 ? ["unknown:thing"] : route.needs;
    expect((await tryRoute(route, await newKey(exact))).status).toBe(route.success);
    expect((await tryRoute(route, await newKey(["*"]))).status).toBe(route.success);
  });

  it("shows nothing to another organization's key", async () => {
    // The route that revokes the calling key must not use up the other organization's key.
    const key = await createKey({ ...world.stack, organizationId: world.strangers.organizationId }, ["*"]);
    const answer = await tryRoute(route, key);
    const expected = {
      not_found: { status: 404, code: "not_found" },
      organization_mismatch: { status: 403, code: "organization_mismatch" },
      artifact_unknown: { status: 409, code: "artifact_unknown" },
      validation_failed: { status: 400, code: "validation_failed" },
      "its own": { status: route.success },
    };
    expect(errorOf(answer)).toMatchObject(expected[route.stranger]);
    for (const ours of [
      world.organizationId,
      world.serviceId,
      world.scanRunId,
      world.apiKeyId,
      world.journeyId,
      world.environmentId,
      world.environmentName,
    ]) {
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

    it("enforces the constraints of scopes, and names them", async () => {
      const bound = (constraint: Record<string, unknown>) => ({
        scopes: route.needs.map((permission) => ({ permission, ...constraint })),
      });
      const refused = [
        { constraint: { serviceId: ANOTHER_SERVICE }, name: "serviceId" },
        { constraint: { environmentId: ANOTHER_SERVICE }, name: "environmentId" },
        { constraint: { workflowId: ANOTHER_SERVICE }, name: "workflowId" },
        { constraint: { resourceType: "nothing" }, name: "resourceType" },
        { constraint: { resourceId: ANOTHER_SERVICE }, name: "resourceId" },
        {
          constraint: { resourceType: "service", resourceId: ANOTHER_SERVICE },
          name: "resourceType, resourceId",
        },
        { constraint: { serviceId: ANOTHER_SERVICE, environmentId: ANOTHER_SERVICE }, name: "environmentId" },
        {
          constraint: { resourceConstraints: { serviceNames: ["orders-*"] } },
          name: "resourceConstraints.serviceNames",
        },
        {
          constraint: { resourceConstraints: { serviceNames: [] } },
          name: "resourceConstraints.serviceNames",
        },
        {
          constraint: { resourceConstraints: { serviceNames: ["*"], region: "eu" } },
          name: "resourceConstraints",
        },
      ];
      // Filtered lists are empty for keys of other services.
      const errors = refused.filter(({ constraint }) => !route.isFiltered || !isOfOtherService(constraint));
      for (const { of, key } of await withKeys(errors, ({ constraint }) => bound(constraint))) {
        const error = errorOf(await tryRoute(route, key));
        expect({ ...of, ...error }).toMatchObject({ ...of, status: 403, code: "permission_denied" });
        expect(error.message).toContain(of.name);
      }
      const known = [
        { constraint: { serviceId: world.serviceId }, holds: route.ofService },
        { constraint: { resourceType: "service", resourceId: world.serviceId }, holds: route.ofService },
        { constraint: { resourceConstraints: { serviceNames: ["payments-*"] } }, holds: route.ofService },
        {
          constraint: { resourceConstraints: { serviceNames: [world.serviceName] } },
          holds: route.ofService,
        },
        ...(["service", "environment", "api_key"] as const).flatMap((resourceType) =>
          route.resourceType === undefined
            ? []
            : [{ constraint: { resourceType }, holds: route.resourceType === resourceType }],
        ),
        { constraint: { environmentId: world.environmentId.toUpperCase() }, holds: route.ofEnvironment },
        {
          constraint: { resourceType: "environment", resourceId: world.environmentId },
          holds: route.ofEnvironment,
        },
        { constraint: { workflowId: world.journeyId.toUpperCase() }, holds: route.ofJourney },
        { constraint: { resourceType: "workflow", resourceId: world.journeyId }, holds: route.ofJourney },
      ];
      for (const { of, key } of await withKeys(known, ({ constraint }) => bound(constraint))) {
        const { status } = await tryRoute(route, key);
        expect({ ...of, status }).toEqual({ ...of, status: of.holds ? route.success : 403 });
      }
    });
  },
);

describe.each(Object.entries(ROUTE_CASES).filter(([, route]) => route.isFiltered))(
  "%s, which lists what the key may read,",
  (_operationId, route) => {
    it.each(OF_OTHER_SERVICES)("shows nothing of other services to a key with %o", async (constraint) => {
      const key = await newKey(route.needs.map((permission) => ({ permission, ...constraint })));
      const answer = await tryRoute(route, key);
      expect(answer.status).toBe(route.success);
      for (const ours of [world.serviceId, world.serviceName, world.scanRunId]) {
        expect(answer.text).not.toContain(ours);
      }
    });
  },
);
