import type { Service } from "@waymark/shared/services/schema.ts";
import { parseLabelSelector } from "@waymark/shared/services/labels/schema.ts";
import { sampleService } from "@waymark/test-support/sample-service.ts";
import { expect, test } from "vitest";
import { filterServices } from "./filter-services.ts";

const service = (name: string, rest: Partial<Service> = {}) => sampleService({ id: name, name, ...rest });
const SERVICES = [
  service("Payments-10", { lastScannedAt: "2026-03-02T00:00:00.000Z", endpointCount: 5, findingCount: 0 }),
  service("orders"),
  service("payments-9", { lastScannedAt: "2026-03-01T00:00:00.000Z", endpointCount: 40, findingCount: 2 }),
];
const names = (text: string, order: string, concern = "") =>
  filterServices(SERVICES, { text, concern, labels: [], owner: "", mine: new Set() }, order).map(
    ({ name }) => name,
  );

test("services are found by a part of their name, in any case", () => {
  expect(names("PAY", "")).toEqual(["Payments-10", "payments-9"]);
  expect(names("", "")).toHaveLength(3);
  expect(names("stock", "")).toEqual([]);
});

test.each([
  ["name", ["orders", "payments-9", "Payments-10"]],
  ["scanned", ["orders", "payments-9", "Payments-10"]],
  ["-endpoints", ["payments-9", "Payments-10", "orders"]],
  ["findings", ["orders", "Payments-10", "payments-9"]],
])("by %s, a service without a run comes before one with nothing in it", (order, expected) => {
  expect(names("", order)).toEqual(expected);
});

test("services are found by what they need attention for, the worst first without another order", () => {
  const counts = { info: 0, low: 0, medium: 0, high: 0, critical: 3 };
  const services = [...SERVICES, service("leaky", { findingsBySeverity: counts })];
  const found = (concern: string) =>
    filterServices(services, { text: "", concern, labels: [], owner: "", mine: new Set() }, "").map(
      ({ name }) => name,
    );
  expect(found("critical")).toEqual(["leaky"]);
  expect(found("failed")).toEqual([]);
  expect(found("")).toEqual(["leaky", "Payments-10", "orders", "payments-9"]);
});

test("services are found by their aliases and their labels", () => {
  const services = [
    service("billing", { aliases: ["till"], labels: { team: "money", tier: "1" } }),
    service("mail", { labels: { team: "mail", tier: "1" } }),
  ];
  const found = (text: string, selector: string) => {
    const labels = selector === "" ? [] : parseLabelSelector(selector);
    return filterServices(
      services,
      { text, concern: "", labels: labels ?? [], owner: "", mine: new Set() },
      "name",
    ).map(({ name }) => name);
  };
  expect(found("TILL", "")).toEqual(["billing"]);
  expect(found("", "tier=1")).toEqual(["billing", "mail"]);
  expect(found("", "tier=1,team=mail")).toEqual(["mail"]);
  expect(found("", "team")).toEqual(["billing", "mail"]);
  expect(found("", "constructor")).toEqual([]);
});

test.each([
  ["", ["a", "b", "c"]],
  ["me", ["a"]],
  ["none", ["c"]],
  ["orders", ["b"]],
  ["nobody", []],
])("the owner %j has its services", (owner, owned) => {
  const team = (slug: string) => ({ id: slug, slug, displayName: slug });
  const services = [
    service("a", { ownerTeam: team("payments") }),
    service("b", { ownerTeam: team("orders") }),
    service("c"),
  ];
  const filter = { text: "", concern: "", labels: [], owner, mine: new Set(["payments"]) };
  expect(filterServices(services, filter, "name").map(({ name }) => name)).toEqual(owned);
});
