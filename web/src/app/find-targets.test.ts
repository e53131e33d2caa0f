import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { expect, test } from "vitest";
import { findTargets } from "./find-targets.ts";

const services = Array.from({ length: 9 }, (_, n) => ({ id: `s${n}`, name: `payments-${n}` }));
const endpoint: FoundEndpoint = {
  serviceId: "s1",
  serviceName: "payments-1",
  scanRunId: "r1",
  method: "GET",
  path: "/v1/payments",
  operationId: null,
  tags: [],
  summary: null,
};

test("without a text, there are the pages", () => {
  const targets = findTargets(" ", { services, endpoints: [] });
  expect(targets.map(({ label }) => label)).toContain("Audit log");
  expect(targets.every(({ kind }) => kind === "page")).toBe(true);
});

test("an exact match is first, also after many partial matches", () => {
  const many = [...services, { id: "exact", name: "Payments" }];
  expect(findTargets("payments", { services: many, endpoints: [endpoint] })[0]?.href).toBe("/services/exact");
  const limits = [{ id: "s", name: "the limits" }];
  expect(findTargets("services", { services: limits, endpoints: [] })[0]?.label).toBe("Services");
});

test("services and endpoints are found, a few of each, with their addresses", () => {
  const targets = findTargets("PAY", { services, endpoints: [endpoint] });
  expect(targets.filter(({ kind }) => kind === "service")).toHaveLength(6);
  expect(targets.at(-1)).toEqual({
    label: "GET /v1/payments",
    kind: "payments-1",
    href: "/services/s1/endpoint?of=GET+%2Fv1%2Fpayments",
  });
  expect(findTargets("nothing", { services, endpoints: [] })).toEqual([]);
});
