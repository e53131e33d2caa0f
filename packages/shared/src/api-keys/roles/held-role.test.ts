import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Actor, denial } from "../authorize.ts";
import { intersectScopes } from "../intersect-scopes.ts";
import type { ApiKeyScope } from "../schema.ts";
import { BUILT_IN_ROLES } from "./built-in.ts";
import { type HeldRole, scopesOfUser } from "./held-role.ts";

// The model says in plain objects what a key and a user may do. It knows nothing of scopes that are joined.

const PERMISSIONS = ["services:read", "scans:create", "journeys:run", "personal-keys:manage", "audit:read"];
const NAMES = ["pay", "payments", "payments-eu", "orders"];
const IDS = ["11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"];

const pattern = fc.constantFrom("*", "pay*", "payments", "payments-*", "payments-eu", "orders", "o*");
const patterns = fc.array(pattern, { minLength: 1, maxLength: 3 });
const role: fc.Arbitrary<HeldRole> = fc.record({
  role: fc.constantFrom(...BUILT_IN_ROLES.keys(), "own", "constructor"),
  permissions: fc.option(fc.array(fc.constantFrom(...PERMISSIONS, "*"), { maxLength: 3 })),
  serviceNames: fc.option(patterns),
  serviceIds: fc.option(fc.subarray(IDS)),
});
const constraints = fc.oneof(
  fc.constant({}),
  patterns.map((serviceNames) => ({ resourceConstraints: { serviceNames } })),
  fc.constantFrom(...IDS).map((serviceId) => ({ serviceId })),
  fc.subarray(IDS).map((serviceIds) => ({ resourceConstraints: { serviceIds } })),
  fc.constantFrom(...IDS).map((environmentId) => ({ environmentId })),
  fc.constant({ resourceType: "service" }),
  fc.constant({ resourceConstraints: { unknown: true } }),
);
const scope: fc.Arbitrary<ApiKeyScope> = fc
  .tuple(fc.constantFrom(...PERMISSIONS, "*"), constraints)
  .map(([permission, constraint]) => ({ permission, ...constraint }));
const resource = fc.record(
  {
    serviceName: fc.constantFrom(...NAMES),
    serviceId: fc.constantFrom(...IDS),
    environmentId: fc.constantFrom(...IDS),
  },
  { requiredKeys: [] },
);
type Resource = typeof resource extends fc.Arbitrary<infer T> ? T : never;

const has = (permissions: readonly string[], wanted: string) =>
  permissions.includes("*") || permissions.includes(wanted);
const isNamed = (list: readonly string[], { serviceName }: Resource) =>
  serviceName !== undefined &&
  list.some((each) =>
    each.endsWith("*") ? serviceName.startsWith(each.slice(0, -1)) : serviceName === each,
  );

const isOneOf = (list: readonly string[], { serviceId }: Resource) =>
  serviceId !== undefined && list.includes(serviceId);

function mayUser(roles: readonly HeldRole[], wanted: string, of: Resource): boolean {
  return (
    wanted === "personal-keys:manage" ||
    roles.some(
      ({ role: name, permissions, serviceNames, serviceIds }) =>
        has(BUILT_IN_ROLES.get(name) ?? permissions ?? [], wanted) &&
        (serviceNames === null || isNamed(serviceNames, of)) &&
        (serviceIds === null || isOneOf(serviceIds, of)),
    )
  );
}

function mayKey(scopes: readonly ApiKeyScope[], wanted: string, of: Resource): boolean {
  return scopes.some(
    ({ permission, serviceId, environmentId, resourceType, resourceConstraints = {} }) =>
      has([permission], wanted) &&
      (serviceId === undefined || serviceId === of.serviceId) &&
      (environmentId === undefined || environmentId === of.environmentId) &&
      (resourceType === undefined || of.serviceId !== undefined || of.serviceName !== undefined) &&
      Object.entries(resourceConstraints).every(
        ([name, list]) =>
          (name === "serviceNames" && isNamed(list as string[], of)) ||
          (name === "serviceIds" && isOneOf(list as string[], of)),
      ),
  );
}

const actor = (scopes: readonly ApiKeyScope[]): Actor => ({ organizationId: "o", apiKeyId: "k", scopes });

it("a user's key may do what both the key and the user's roles allow, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(role, { maxLength: 4 }),
      fc.array(scope, { maxLength: 4 }),
      fc.constantFrom(...PERMISSIONS, "services:delete"),
      resource,
      (roles, scopes, wanted, of) => {
        const effective = intersectScopes(scopes, scopesOfUser(roles));
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the open set of permissions has these
        const isAllowed = denial(actor(effective), [wanted as "audit:read"], of) === undefined;
        expect(isAllowed).toBe(mayKey(scopes, wanted, of) && mayUser(roles, wanted, of));
      },
    ),
    { numRuns: 3_000 },
  );
});

it("a service that meets one limit by its name and the other by an alias is not granted", () => {
  const joined = intersectScopes(
    [{ permission: "*", resourceConstraints: { serviceNames: ["old"] } }],
    [{ permission: "services:read", resourceConstraints: { serviceNames: ["new"] } }],
  );
  const of = { serviceName: "new", serviceAliases: ["old"] };
  expect(denial(actor(joined), ["services:read"], of)).toBeDefined();
});

it("a role whose name is that of something built into the language grants what it says", () => {
  const own = { role: "constructor", permissions: ["audit:read"], serviceNames: null, serviceIds: null };
  expect(scopesOfUser([own])).toEqual([{ permission: "personal-keys:manage" }, { permission: "audit:read" }]);
});
