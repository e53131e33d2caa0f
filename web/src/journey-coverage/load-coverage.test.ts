import { afterEach, expect, test, vi } from "vitest";
import { loadCoverage } from "./load-coverage.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const ID = "11111111-1111-4111-8111-111111111111";
const share = { covered: 1, total: 2 };
const criterion = (id: string) => ({
  journeyId: ID,
  journeyPath: "a.yaml",
  id,
  text: id,
  severity: "must",
  state: "proven",
  provenBy: [],
  verdict: null,
});
const operation = (path: string) => ({
  serviceId: ID,
  serviceName: "shop",
  sourcePath: null,
  method: "GET",
  path,
  operationId: null,
  state: "uncalled",
  calls: 0,
  statuses: [],
  calledAt: null,
  assertedAt: null,
  journeyCount: 0,
  journeys: [],
});
const page = (criteria: string[], operations: string[], cursors: object = {}) => ({
  windowDays: 30,
  since: "2026-01-01T00:00:00.000Z",
  shares: { acceptance: share, must: share, operations: share, asserted: share },
  criteriaByState: { proven: 0, failed: 0, stale: 0, notRun: 0, unproven: 0 },
  notInInventoryCount: 0,
  criteria: criteria.map(criterion),
  operations: operations.map(operation),
  ...cursors,
});

test("both lists are loaded whole, and a list that has ended is not repeated", async () => {
  const pages = [
    page(["A"], ["/1"], { criteriaCursor: "c", operationsCursor: "o1" }),
    page(["B"], ["/2"], { operationsCursor: "o2" }),
    page(["A"], ["/3"], { criteriaCursor: "c" }),
  ];
  const requested: URLSearchParams[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    requested.push(new URLSearchParams(address.split("?")[1]));
    return Response.json(pages[requested.length - 1]);
  });
  const filter = { serviceId: ID, environmentId: "", origin: "cloud", window: "7" };
  const { criteria, operations } = await loadCoverage(filter, new AbortController().signal);
  expect(criteria.map(({ id }) => id)).toEqual(["A", "B"]);
  expect(operations.map(({ path }) => path)).toEqual(["/1", "/2", "/3"]);
  const given = { serviceId: ID, origin: "cloud", window: "7", limit: "2000" };
  expect(requested.map((query) => Object.fromEntries(query))).toEqual([
    given,
    { ...given, criteriaCursor: "c", operationsCursor: "o1" },
    { ...given, operationsCursor: "o2" },
  ]);
});
