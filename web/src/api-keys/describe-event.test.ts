import { AuditAction, type AuditEvent } from "@waymark/shared/audit/schema.ts";
import { expect, test } from "vitest";
import { ACTIONS, describeActor, describeDetails, runOf } from "./describe-event.ts";

const EVENT = { route: null, code: null, details: {} } as AuditEvent;

test("every action has its own words", () => {
  expect(Object.keys(ACTIONS).toSorted()).toEqual(AuditAction.options.toSorted());
  expect(new Set(Object.values(ACTIONS)).size).toBe(AuditAction.options.length);
});

const ADA = { type: "user", id: "u", displayName: "Ada" };

test.each([
  ["a person", { actor: ADA, actorKeyId: "k", details: {} }, "Ada"],
  ["a key", { actorKeyId: "k", details: {} }, "key k"],
  ["the operator", { actorKeyId: null, details: { by: "operator" } }, "the operator"],
  ["a schedule", { actorKeyId: null, details: { by: "schedule", scheduleId: "s" } }, "a schedule"],
  ["a build", { actorKeyId: null, details: { by: "trust_policy", trustPolicyId: "p" } }, "a build"],
  ["nobody that is recorded", { actorKeyId: null, details: {} }, "not recorded"],
])("an event of %s names it, and nobody else", (_who, event, words) => {
  expect(describeActor({ actor: null, ...event }, (id) => `key ${id}`)).toBe(words);
});

test("an event of a run leads to the run", () => {
  expect(runOf({ details: { runId: "r" } })).toBe("/journey-runs/r");
  expect(runOf({ details: { runId: 3 } })).toBeUndefined();
});

test("details are the route, the error and the event's own fields", () => {
  expect(describeDetails(EVENT)).toBe("");
  const refused = { ...EVENT, route: "GET /api/services", code: "permission_denied" };
  expect(describeDetails(refused)).toBe("GET /api/services, permission_denied");
  const details = { by: "operator", count: 2, names: ["a", "b"] };
  expect(describeDetails({ ...EVENT, details })).toBe("by: operator, count: 2, names: a b");
});
