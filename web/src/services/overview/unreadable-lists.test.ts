import { expect, test } from "vitest";
import { describeUnknown, describeUnreadable, isUnreadable } from "./unreadable-lists.ts";

const NONE = {
  failingJourneys: null,
  recoveredJourneys: null,
  troubledSchedules: null,
  expiringKeys: null,
  refusedKeys: null,
};

test("a list that the session may not read is told apart from an empty one", () => {
  expect(isUnreadable(NONE, "failingJourneys")).toBe(true);
  expect(isUnreadable({ ...NONE, failingJourneys: [] }, "failingJourneys")).toBe(false);
  expect(isUnreadable(NONE, "breaking")).toBe(false);
});

test("a list of what was never compared or judged says so, and not that there is none", () => {
  const known = { ...NONE, breakingServiceCount: 0, gateFailureCount: 0 };
  expect(describeUnknown(known, "breaking")).toBe("");
  expect(describeUnknown(known, "failingJourneys")).toMatch(/^You may not read them/);
  const unknown = { ...known, breakingServiceCount: null, gateFailureCount: null };
  expect(describeUnknown(unknown, "breaking")).toMatch(/^No change of the last 7 days was compared/);
  expect(describeUnknown(unknown, "gates")).toMatch(/^No gates are known/);
  expect(describeUnknown(unknown, "removed")).toBe("");
});

test("what the session may not read is named", () => {
  expect(describeUnreadable(NONE)).toBe("journeys and keys");
  expect(describeUnreadable({ ...NONE, failingJourneys: [] })).toBe("keys");
  expect(describeUnreadable({ ...NONE, expiringKeys: [] })).toBe("journeys and refused requests of keys");
  expect(describeUnreadable({ ...NONE, failingJourneys: [], expiringKeys: [], refusedKeys: [] })).toBe("");
});
