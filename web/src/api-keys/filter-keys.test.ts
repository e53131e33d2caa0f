import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { expiresSoon, filterKeys, ownersOf } from "./filter-keys.ts";

const NOW = Date.parse("2026-03-10T00:00:00.000Z");
const key = (name: string, rest: Partial<ApiKey> = {}): ApiKey => ({
  id: name,
  name,
  prefix: `wmk_${name}`,
  ownerPrincipalType: null,
  ownerPrincipalId: null,
  ownerDisplayName: null,
  createdBy: null,
  replacedBy: null,
  trustPolicyId: null,
  scopes: [{ permission: "services:read" }],
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  disabledAt: null,
  allowedNetworks: null,
  status: "active",
  createdAt: "2026-01-01T00:00:00.000Z",
  ...rest,
});
const KEYS = [
  key("pipeline", { expiresAt: "2026-03-20T00:00:00.000Z", lastUsedAt: "2026-03-09T00:00:00.000Z" }),
  key("auditor", { expiresAt: "2027-01-01T00:00:00.000Z", scopes: [{ permission: "audit:read" }] }),
  key("paused", { disabledAt: "2026-02-01T00:00:00.000Z", expiresAt: "2026-03-11T00:00:00.000Z" }),
  key("ended", { status: "expired", expiresAt: "2026-02-01T00:00:00.000Z" }),
];
const names = (filter: { text?: string; state?: string; owner?: string }, order = "") =>
  filterKeys(KEYS, { text: "", state: "", owner: "", ...filter }, order, NOW).map(({ name }) => name);

test("keys are found by name, prefix and permission", () => {
  expect(names({ text: "PIPE" })).toEqual(["pipeline"]);
  expect(names({ text: "wmk_aud" })).toEqual(["auditor"]);
  expect(names({ text: "audit:read" })).toEqual(["auditor"]);
  expect(names({})).toHaveLength(4);
});

test("keys are found by their state; a disabled key is not active", () => {
  expect(names({ state: "active" })).toEqual(["pipeline", "auditor"]);
  expect(names({ state: "disabled" })).toEqual(["paused"]);
  expect(names({ state: "expired" })).toEqual(["ended"]);
});

test("a key expires soon if it works now and ends within 30 days", () => {
  expect(names({ state: "expiring" })).toEqual(["pipeline"]);
  const inDays = (days: number) => key("k", { expiresAt: new Date(NOW + days * 86_400_000).toISOString() });
  expect([29, 31].map((days) => expiresSoon(inDays(days), NOW))).toEqual([true, false]);
});

test.each([
  ["name", ["auditor", "ended", "paused", "pipeline"]],
  ["-used", ["pipeline", "auditor", "paused", "ended"]],
  ["expires", ["ended", "paused", "pipeline", "auditor"]],
  ["status", ["pipeline", "auditor", "paused", "ended"]],
])("by %s", (order, expected) => {
  expect(names({}, order)).toEqual(expected);
});

test("keys are found by their owner, and owners are chosen by name", () => {
  const of = (id: string, displayName: string | null) => ({
    ownerPrincipalId: id,
    ownerDisplayName: displayName,
  });
  const keys = [
    key("a", of("2", "Bob")),
    key("b", of("1", "Ada")),
    key("c", of("2", "Bob")),
    key("d", of("3", null)),
  ];
  const found = filterKeys(keys, { text: "", state: "", owner: "2" }, "", NOW);
  expect(found.map(({ name }) => name)).toEqual(["a", "c"]);
  const [ada, bob] = [
    { value: "1", label: "Ada" },
    { value: "2", label: "Bob" },
  ];
  expect(ownersOf(keys, "")).toEqual([ada, bob]);
  expect(ownersOf(keys, "3")).toEqual([{ value: "3", label: "3" }, ada, bob]);
});
