import { expect, test } from "vitest";
import { describeGrant, describeRole } from "./describe-role.ts";

test("a role is described in words, an own one by the number of its permissions", () => {
  const own = (permissions: string[]) => describeRole({ name: "viewer", permissions, builtIn: false });
  expect(describeRole({ name: "viewer", permissions: ["services:read"], builtIn: true })).toMatch(/^Reads/);
  expect(own(["services:read"])).toBe("1 permission.");
  expect(own(["services:read", "audit:read"])).toBe("2 permissions.");
  expect(own(["*", "audit:read"])).toBe("May do everything.");
  // A role of a later version.
  expect(describeRole({ name: "triager", permissions: ["a:b"], builtIn: true })).toBe("1 permission.");
});

test("a grant names the services that it is limited to", () => {
  expect(describeGrant({ role: "viewer", serviceNames: null, ownedBy: null })).toBe("viewer");
  expect(describeGrant({ role: "developer", serviceNames: ["orders", "payments-*"], ownedBy: null })).toBe(
    "developer, only for orders, payments-*",
  );
  expect(describeGrant({ role: "developer", serviceNames: null, ownedBy: "payments" })).toBe(
    "developer, only for services of the team payments",
  );
});
