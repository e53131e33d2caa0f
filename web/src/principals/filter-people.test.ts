import type { Principal } from "@waymark/shared/principals/schema.ts";
import { expect, test } from "vitest";
import { filterPeople } from "./filter-people.ts";

const AT = "2026-01-31T00:00:00.000Z";
const person = (displayName: string, more: Partial<Principal> = {}): Principal => ({
  id: displayName,
  type: "user",
  displayName,
  email: `${displayName.toLowerCase()}@example.com`,
  roleGrants: [],
  teams: [],
  disabledAt: null,
  lastSeenAt: null,
  createdAt: AT,
  createdBy: null,
  ...more,
});
const grant = (role: string, serviceNames: string[] | null = null) => ({
  id: role,
  role,
  serviceNames,
  ownedBy: null,
  createdAt: AT,
  createdBy: null,
  identityProviderId: null,
});

const ADA = person("Ada", { roleGrants: [grant("administrator")], lastSeenAt: AT });
const BOB = person("Bob", { roleGrants: [grant("developer", ["payments-*"])], disabledAt: AT });
const BOT = person("Deployments", { type: "service_account", email: null });
const ALL = [BOT, BOB, ADA];
const USERS = { type: "user", text: "", state: "", role: "" } as const;
const named = (filter: Partial<Parameters<typeof filterPeople>[1]>, order = "") =>
  filterPeople(ALL, { ...USERS, ...filter }, order).map(({ displayName }) => displayName);

test("people and service accounts are apart, found by name, address, role and its services", () => {
  expect(named({})).toEqual(["Bob", "Ada"]);
  expect(named({ type: "service_account" })).toEqual(["Deployments"]);
  expect(named({ text: "ADA@" })).toEqual(["Ada"]);
  expect(named({ text: "payments" })).toEqual(["Bob"]);
  expect(named({ role: "administrator" })).toEqual(["Ada"]);
  expect(named({ state: "disabled" })).toEqual(["Bob"]);
  expect(named({ state: "active", role: "developer" })).toEqual([]);
});

test("they are sorted by name, and by when they were last seen, never first", () => {
  expect(named({}, "name")).toEqual(["Ada", "Bob"]);
  expect(named({}, "seen")).toEqual(["Bob", "Ada"]);
  expect(named({}, "-seen")).toEqual(["Ada", "Bob"]);
});
