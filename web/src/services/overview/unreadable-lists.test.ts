import { expect, test } from "vitest";
import { describeUnreadable, isUnreadable } from "./unreadable-lists.ts";

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

test("what the session may not read is named", () => {
  expect(describeUnreadable(NONE)).toBe("journeys and keys");
  expect(describeUnreadable({ ...NONE, failingJourneys: [] })).toBe("keys");
  expect(describeUnreadable({ ...NONE, expiringKeys: [] })).toBe("journeys and refused requests of keys");
  expect(describeUnreadable({ ...NONE, failingJourneys: [], expiringKeys: [], refusedKeys: [] })).toBe("");
});
