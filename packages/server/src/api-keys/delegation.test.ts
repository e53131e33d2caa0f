import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaled } from "@waymark/test-support/scale.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type AccessedResource, scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import { assertCanRevoke, assertCanGrant, isScopeWithin } from "./delegation.ts";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";

// Few values, so that generated scopes and requests match often.
const IDS = ["00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000B"] as const;
const PERMISSIONS = ["services:read", "scans:create", "*", "unknown:thing"] as const;
const id = () => fc.constantFrom(...IDS, ...IDS.map((value) => value.toUpperCase()));
const constraint = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const pattern = () => fc.constantFrom("a", "ab", "abc", "a*", "ab*", "*", "b*", "a*c", "**", "", 7, null);
const resourceConstraints = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: fc.record({ serviceNames: fc.array(pattern(), { minLength: 1, maxLength: 2 }) }) },
  fc.record({ serviceNames: pattern() }),
  fc.record({ other: fc.constantFrom(1, "x", ["y"]) }),
  fc.record({ serviceNames: fc.array(pattern(), { maxLength: 2 }), other: fc.constantFrom(1, "x") }),
);
const scope: fc.Arbitrary<ApiKeyScope> = fc
  .record({
    permission: fc.constantFrom(...PERMISSIONS),
    resourceType: constraint(fc.constantFrom("service", "Service", "api_key", "workflow")),
    resourceId: constraint(id()),
    serviceId: constraint(id()),
    environmentId: constraint(id()),
    workflowId: constraint(id()),
    resourceConstraints,
  })
  .map(({ resourceConstraints: open, ...rest }) =>
    open === undefined ? rest : { ...rest, resourceConstraints: open },
  );
const request: fc.Arbitrary<{ permission: string; resource: AccessedResource }> = fc.record({
  permission: fc.constantFrom("services:read", "scans:create", "api-keys:create"),
  resource: fc.record(
    {
      serviceId: id(),
      serviceName: fc.constantFrom("a", "ab", "abc", "b", "*", "a*"),
      environmentId: id(),
      workflowId: id(),
      resourceType: fc.constantFrom("api_key", "service"),
      resourceId: id(),
    },
    { requiredKeys: [] },
  ),
});

/** The parent, slightly narrowed: independent scopes rarely match. */
const narrowed = (parent: ApiKeyScope) =>
  fc.tuple(scope, fc.subarray(Object.keys(parent), { maxLength: 2 })).map(([other, changed]): ApiKeyScope => {
    const kept = Object.entries(parent).filter(([name]) => !changed.includes(name));
    return { ...other, ...Object.fromEntries(kept) };
  });

/** A request that meets most constraints of the scope: a random one rarely does. */
const aimedAt = (bound: ApiKeyScope) =>
  request.map(({ permission, resource }) => {
    const names = ["serviceId", "environmentId", "workflowId", "resourceType", "resourceId"] as const;
    const met = names.flatMap((name) =>
      typeof bound[name] === "string" ? [[name, bound[name]] as const] : [],
    );
    return {
      permission: bound.permission === "*" ? permission : bound.permission,
      resource: { ...resource, ...Object.fromEntries(met) },
    };
  });
const tries = (child: ApiKeyScope) =>
  fc.array(fc.oneof(request, aimedAt(child)), { minLength: 10, maxLength: 10 });

const PAIRS = scaled({ short: 2_000, long: 10_000 });

describe("no escalation", () => {
  it(`no child scope allows a request that its parent does not (${PAIRS} pairs)`, () => {
    let fitting = 0;
    let allowedToBoth = 0;
    const cases = scope.chain((parent) =>
      fc
        .oneof(scope, narrowed(parent))
        .chain((child) => tries(child).map((requests) => ({ parent, child, requests }))),
    );
    fc.assert(
      fc.property(cases, ({ parent, child, requests }) => {
        if (!isScopeWithin(child, parent)) return;
        fitting++;
        for (const { permission, resource } of requests) {
          if (!scopeAllows(child, permission, resource)) continue;
          allowedToBoth++;
          expect(scopeAllows(parent, permission, resource)).toBe(true);
        }
      }),
      { numRuns: PAIRS },
    );
    // Checks that the property covers enough: many pairs match, and many requests of the children are allowed.
    expect(fitting).toBeGreaterThan(PAIRS / 10);
    expect(allowedToBoth).toBeGreaterThan(PAIRS / 10);
  });

  it(`no child key allows a request that its parent key does not (${PAIRS} pairs of keys)`, () => {
    let granted = 0;
    let allowedToBoth = 0;
    const cases = fc.array(scope, { minLength: 1, maxLength: 3 }).chain((parents) => {
      const child = fc.constantFrom(...parents).chain((parent) => fc.oneof(scope, narrowed(parent)));
      return fc.array(child, { minLength: 1, maxLength: 2 }).chain((children) =>
        fc
          .constantFrom(...children)
          .chain(tries)
          .map((requests) => ({ parents, children, requests })),
      );
    });
    fc.assert(
      fc.property(cases, ({ parents, children, requests }) => {
        const parentKey = keyOf(parents);
        if (!canGrant(parentKey, keyOf(children))) return;
        granted++;
        for (const { permission, resource } of requests) {
          if (!children.some((child) => scopeAllows(child, permission, resource))) continue;
          allowedToBoth++;
          expect(parents.some((parent) => scopeAllows(parent, permission, resource))).toBe(true);
        }
      }),
      { numRuns: PAIRS },
    );
    expect(granted).toBeGreaterThan(PAIRS / 10);
    expect(allowedToBoth).toBeGreaterThan(PAIRS / 10);
  });

  it("a scope can be granted unchanged", () => {
    fc.assert(
      fc.property(scope, (own) => {
        expect(isScopeWithin(structuredClone(own), own)).toBe(true);
      }),
    );
  });
});

describe("assertCanGrant", () => {
  const holder = {
    ...keyOf([{ permission: "services:read" }]),
    expiresAt: new Date("2030-01-01T00:00:00Z"),
  };

  it.each([
    ["no expiry", null],
    ["a later expiry", new Date("2030-01-01T00:00:00.001Z")],
  ])("refuses %s to a key that expires", (_name, expiresAt) => {
    expect(() => assertCanGrant(holder, { ...holder, expiresAt })).toThrow(/outlives/);
  });

  it("allows the expiry of the granting key", () => {
    expect(canGrant(holder, holder)).toBe(true);
  });

  it("needs each scope inside ONE scope of the granting key, not inside two together", () => {
    const [a, b] = IDS;
    const halves = [
      { permission: "services:read", serviceId: a },
      { permission: "services:read", serviceId: b },
    ];
    const whole = keyOf([{ permission: "services:read" }]);
    expect(canGrant(keyOf(halves), whole)).toBe(false);
    expect(canGrant(keyOf(halves), keyOf(halves))).toBe(true);
  });

  it("names the scope that is not covered", () => {
    const scopes = [{ permission: "services:read" }, { permission: "*" }];
    expect(() => assertCanGrant(holder, keyOf(scopes))).toThrow(/scopes\[1\] \(\*\)/);
  });

  it.each([
    [["payments-*"], ["payments-eu"], true],
    [["payments-*"], ["payments-eu-*"], true],
    [["payments-*"], ["pay*"], false],
    [["payments-eu"], ["payments-*"], false],
    [["payments-*"], ["payments-eu", "orders"], false],
    [["payments-*", "orders"], ["payments-eu", "orders"], true],
    [["a*c"], ["abc"], false],
  ])("serviceNames %j can grant %j: %s", (own, wanted, allowed) => {
    const scopeOf = (serviceNames: string[]) => ({
      permission: "scans:create",
      resourceConstraints: { serviceNames },
    });
    expect(isScopeWithin(scopeOf(wanted), scopeOf(own))).toBe(allowed);
  });
});

describe("the networks of a granted key", () => {
  const bound = { ...keyOf([{ permission: "*" }]), allowedNetworks: ["10.0.0.0/8", "2001:db8::/32"] };

  it.each([[["10.0.0.0/8"]], [["10.1.2.3/32", "2001:db8:1::/48"]]])(
    "a network-bound key can grant networks inside its own: %j",
    (allowedNetworks) => {
      expect(canGrant(bound, { ...bound, allowedNetworks })).toBe(true);
    },
  );

  it.each<[string[] | null, RegExp]>([
    [null, /allowedNetworks is required and must be inside .*10\.0\.0\.0\/8, 2001:db8::\/32/],
    [["10.0.0.0/8", "11.0.0.0/8"], /allowedNetworks\[1\] \(11\.0\.0\.0\/8\) must be inside/],
    [["0.0.0.0/0"], /allowedNetworks\[0\]/],
    [["::/0"], /allowedNetworks\[0\]/],
  ])("a key limited to networks can't grant %j", (allowedNetworks, refusal) => {
    expect(() => assertCanGrant(bound, { ...bound, allowedNetworks })).toThrow(refusal);
  });

  it("a key without networks can grant every network", () => {
    expect(canGrant(keyOf(bound.scopes), bound)).toBe(true);
  });
});

describe("assertCanRevoke", () => {
  const holder = { scopes: [{ permission: "services:read" }, { permission: "api-keys:revoke" }] };

  it("refuses a key with more permissions, and names none of its scopes", () => {
    const scopes = [{ permission: "services:read" }, { permission: "*" }];
    expect(() => assertCanRevoke(holder, { scopes })).toThrow(
      /^This API key can revoke or disable only keys with no more permissions than its own: one of its scopes/,
    );
  });

  it("lets a key end one with the same or fewer permissions, regardless of expiry and networks", () => {
    const soon = { ...keyOf(holder.scopes), expiresAt: new Date(0), allowedNetworks: ["10.0.0.0/8"] };
    expect(() => assertCanRevoke(soon, keyOf(holder.scopes))).not.toThrow();
  });
});

function keyOf(scopes: readonly ApiKeyScope[]) {
  return { scopes, expiresAt: null, allowedNetworks: null };
}

function canGrant(...args: Parameters<typeof assertCanGrant>): boolean {
  try {
    assertCanGrant(...args);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "permission_denied") return false;
    throw error;
  }
}
