import type { Principal } from "@waymark/shared/principals/schema.ts";
import { expect, test } from "vitest";
import { describeAdministrators } from "./describe-administrators.ts";

const AT = "2026-01-31T00:00:00.000Z";
const user = (displayName: string, role = "administrator", more: Partial<Principal> = {}): Principal => ({
  id: displayName,
  type: "user",
  displayName,
  email: `${displayName}@example.com`,
  roleGrants: [
    {
      id: "g",
      role,
      serviceNames: null,
      ownedBy: null,
      createdAt: AT,
      createdBy: null,
      identityProviderId: null,
    },
  ],
  teams: [],
  disabledAt: null,
  lastSeenAt: null,
  createdAt: AT,
  createdBy: null,
  ...more,
});

test("active administrators of everything are named, and not the reader, others or addresses", () => {
  const limited = user("Limited");
  const people = [
    user("Ada"),
    user("Viewer", "viewer"),
    user("Gone", "administrator", { disabledAt: AT }),
    { ...limited, roleGrants: limited.roleGrants.map((grant) => ({ ...grant, serviceNames: ["a"] })) },
  ];
  expect(describeAdministrators(people, undefined)).toBe("Ada");
  expect(describeAdministrators(people, "Ada")).toBeUndefined();
  expect(describeAdministrators([...people, user("Bob")], null)).toBe("Ada or Bob");
});

test("many administrators are a few names and a number", () => {
  const people = ["A", "B", "C", "D", "E"].map((name) => user(name));
  expect(describeAdministrators(people, null)).toBe("A, B, C or 2 more");
  expect(describeAdministrators(people.slice(0, 3), null)).toBe("A, B or C");
});
