import { AuditAction, type AuditEvent } from "@waymark/shared/audit/schema.ts";
import { expect, test } from "vitest";
import { ACTIONS, describeDetails } from "./describe-event.ts";

const EVENT = { route: null, code: null, details: {} } as AuditEvent;

test("every action has its own words", () => {
  expect(Object.keys(ACTIONS).toSorted()).toEqual(AuditAction.options.toSorted());
  expect(new Set(Object.values(ACTIONS)).size).toBe(AuditAction.options.length);
});

test("details are the route, the error and the event's own fields", () => {
  expect(describeDetails(EVENT)).toBe("");
  const refused = { ...EVENT, route: "GET /api/services", code: "permission_denied" };
  expect(describeDetails(refused)).toBe("GET /api/services, permission_denied");
  const details = { by: "operator", count: 2, names: ["a", "b"] };
  expect(describeDetails({ ...EVENT, details })).toBe("by: operator, count: 2, names: a b");
});
