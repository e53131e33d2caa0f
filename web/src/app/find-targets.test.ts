import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { expect, test } from "vitest";
import { findTargets } from "./find-targets.ts";

const service = (id: string, label: string) => ({ label, kind: "service", href: `/services/${id}` });
const services = Array.from({ length: 9 }, (_, n) => service(`s${n}`, `payments-${n}`));
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
  const targets = findTargets(" ", { lists: [services], endpoints: [], session: KEY });
  expect(targets.map(({ label }) => label)).toContain("Audit log");
  expect(targets.every(({ kind }) => kind === "page")).toBe(true);
});

test("an exact match is first, also after many partial matches", () => {
  const many = [...services, service("exact", "Payments")];
  expect(findTargets("payments", { lists: [[], many], endpoints: [endpoint], session: KEY })[0]?.href).toBe(
    "/services/exact",
  );
  const limits = [service("s", "the limits")];
  expect(findTargets("services", { lists: [limits], endpoints: [], session: KEY })[0]?.label).toBe(
    "Services",
  );
});

test("services and endpoints are found, a few of each, with their addresses", () => {
  const targets = findTargets("PAY", { lists: [services], endpoints: [endpoint], session: KEY });
  expect(targets.filter(({ kind }) => kind === "service")).toHaveLength(6);
  expect(targets.at(-1)).toEqual({
    label: "GET /v1/payments",
    kind: "payments-1",
    href: "/services/s1/endpoint?of=GET+%2Fv1%2Fpayments",
  });
  expect(findTargets("nothing", { lists: [services], endpoints: [], session: KEY })).toEqual([]);
});

test("a journey is found by its title and its path, each as an exact match", () => {
  const journey = { label: "A note can be found", alias: "notes.yaml", kind: "journey", href: "/journeys/j" };
  const others = ["my notes.yaml", "notes.yaml 2"].map((name, n) => service(`s${n}`, name));
  const first = (text: string) =>
    findTargets(text, { lists: [others, [journey]], endpoints: [], session: KEY })[0]?.href;
  expect(first("Notes.yaml")).toBe("/journeys/j");
  expect(first("can be")).toBe("/journeys/j");
});

test("people are found by those who may see them, and personal keys by people", () => {
  const labels = (session: Parameters<typeof findTargets>[1]["session"]) =>
    findTargets("", { lists: [], endpoints: [], session }).map(({ label }) => label);
  expect(labels(KEY)).not.toContain("People");
  expect(labels(KEY)).not.toContain("My keys");
  expect(labels({ ...KEY, scopes: [{ permission: "principals:read" }] })).toContain("People");
  const principal = { type: "user", id: "u", displayName: "Ada" };
  expect(labels({ ...KEY, principal })).toContain("My keys");
  expect(labels({ ...KEY, principal: { ...principal, type: "service_account" } })).not.toContain("My keys");
});
