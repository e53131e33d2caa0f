import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { expect, test } from "vitest";
import { findTargets } from "./find-targets.ts";

const services = Array.from({ length: 9 }, (_, n) => ({ id: `s${n}`, name: `payments-${n}` }));
const endpoint: FoundEndpoint = {
  serviceId: "s1",
  serviceName: "payments-1",
  ownerTeam: null,
  scanRunId: "r1",
  method: "GET",
  path: "/v1/payments",
  operationId: null,
  tags: [],
  summary: null,
};

const KEY = { scopes: [{ permission: "services:read" }], principal: null };

test("without a text, there are the pages", () => {
  const targets = findTargets(" ", { services, endpoints: [], session: KEY });
  expect(targets.map(({ label }) => label)).toContain("Audit log");
  expect(targets.every(({ kind }) => kind === "page")).toBe(true);
});

test("an exact match is first, also after many partial matches", () => {
  const many = [...services, { id: "exact", name: "Payments" }];
  expect(findTargets("payments", { services: many, endpoints: [endpoint], session: KEY })[0]?.href).toBe(
    "/services/exact",
  );
  const limits = [{ id: "s", name: "the limits" }];
  expect(findTargets("services", { services: limits, endpoints: [], session: KEY })[0]?.label).toBe(
    "Services",
  );
});

test("services and endpoints are found, a few of each, with their addresses", () => {
  const targets = findTargets("PAY", { services, endpoints: [endpoint], session: KEY });
  expect(targets.filter(({ kind }) => kind === "service")).toHaveLength(6);
  expect(targets.at(-1)).toEqual({
    label: "GET /v1/payments",
    kind: "payments-1",
    href: "/services/s1/endpoint?of=GET+%2Fv1%2Fpayments",
  });
  expect(findTargets("nothing", { services, endpoints: [], session: KEY })).toEqual([]);
});

test("people are found by those who may see them, and personal keys by people", () => {
  const labels = (session: Parameters<typeof findTargets>[1]["session"]) =>
    findTargets("", { services: [], endpoints: [], session }).map(({ label }) => label);
  expect(labels(KEY)).not.toContain("People");
  expect(labels(KEY)).not.toContain("My keys");
  expect(labels({ ...KEY, scopes: [{ permission: "principals:read" }] })).toContain("People");
  const principal = { type: "user", id: "u", displayName: "Ada" };
  expect(labels({ ...KEY, principal })).toContain("My keys");
  expect(labels({ ...KEY, principal: { ...principal, type: "service_account" } })).not.toContain("My keys");
});
