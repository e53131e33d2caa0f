import type { CoveredCriterion, CoveredOperation } from "@waymark/shared/journey-coverage/schema.ts";
import { expect, test } from "vitest";
import { CRITERION_STATES } from "./coverage-states.ts";
import {
  countStates,
  describeProvers,
  describeShare,
  filterCriteria,
  filterOperations,
} from "./filter-coverage.ts";

const criterion = (id: string, more: Partial<CoveredCriterion> = {}): CoveredCriterion => ({
  journeyId: "buy",
  journeyPath: "buy.yaml",
  id,
  text: `What ${id} says`,
  severity: "must",
  state: "proven",
  provenBy: ["list#ok"],
  verdict: null,
  ...more,
});
const operation = (path: string, more: Partial<CoveredOperation> = {}): CoveredOperation => ({
  serviceId: "shop",
  serviceName: "shop",
  sourcePath: null,
  method: "GET",
  path,
  operationId: null,
  state: "asserted",
  calls: 0,
  statuses: [],
  calledAt: null,
  assertedAt: null,
  journeyCount: 0,
  journeys: [],
  ...more,
});
const verdict = (journeyId: string, endedAt: string): NonNullable<CoveredCriterion["verdict"]> => ({
  runId: "r",
  journeyId,
  journeyPath: journeyId,
  version: 1,
  environmentId: "e",
  environmentName: "test",
  origin: "cloud",
  endedAt,
  by: [],
});

const CRITERIA = [
  criterion("AC-1"),
  criterion("AC-2", {
    state: "failed",
    severity: "could",
    verdict: verdict("variant", "2026-01-02T00:00:00Z"),
  }),
  criterion("AC-3", {
    journeyId: "refund",
    journeyPath: "refund.yaml",
    state: "notRun",
    verdict: verdict("refund", "2026-01-03T00:00:00Z"),
  }),
];
const called = (...journeys: string[]) => ({ journeys: journeys.map((id) => ({ id, path: `${id}.yaml` })) });
const OPERATIONS = [
  operation("/orders", { ...called("buy"), method: "POST", calls: 3 }),
  operation("/items", { ...called("variant"), operationId: "listItems", calls: 12 }),
  operation("/taxes", { state: "uncalled", serviceName: "other" }),
];

const ALL_CRITERIA = { text: "", state: "", severity: "", of: undefined };
test.each([
  ["the text", { text: "REFUND" }, "", ["AC-3"]],
  ["the step of a proof", { text: "list#ok" }, "", ["AC-1", "AC-2", "AC-3"]],
  ["the state", { state: "failed" }, "", ["AC-2"]],
  ["the severity", { severity: "must" }, "", ["AC-1", "AC-3"]],
  ["an operation that the declaring journey called", { of: OPERATIONS[0] }, "", ["AC-1", "AC-2"]],
  ["an operation that only the variant called", { of: OPERATIONS[1] }, "", ["AC-2"]],
  ["an operation that nothing called", { of: OPERATIONS[2] }, "", []],
  ["nothing, the worst state first", {}, "state", ["AC-2", "AC-3", "AC-1"]],
  ["nothing, the newest verdict first", {}, "verdict", ["AC-3", "AC-2", "AC-1"]],
  ["nothing, the last journey first", {}, "-journey", ["AC-3", "AC-1", "AC-2"]],
])("criteria are filtered by %s", (_, filter, order, ids) => {
  expect(filterCriteria(CRITERIA, { ...ALL_CRITERIA, ...filter }, order).map(({ id }) => id)).toEqual(ids);
});

const ALL_OPERATIONS = { text: "", state: "", of: undefined };
test.each([
  ["method and path", { text: "post /ord" }, "", ["/orders"]],
  ["the operation's id", { text: "listitems" }, "", ["/items"]],
  ["the service", { text: "other" }, "", ["/taxes"]],
  ["a calling journey", { text: "variant.yaml" }, "", ["/items"]],
  ["the state", { state: "uncalled" }, "", ["/taxes"]],
  ["a criterion of a journey", { of: CRITERIA[0] }, "", ["/orders"]],
  ["a criterion that a variant ran", { of: CRITERIA[1] }, "", ["/orders", "/items"]],
  ["nothing, the most called first", {}, "-calls", ["/items", "/orders", "/taxes"]],
  ["nothing, by path", {}, "path", ["/items", "/orders", "/taxes"]],
])("operations are filtered by %s", (_, filter, order, paths) => {
  expect(
    filterOperations(OPERATIONS, { ...ALL_OPERATIONS, ...filter }, order).map(({ path }) => path),
  ).toEqual(paths);
});

test("states to choose from are those that occur, the worst first, with their number", () => {
  const states = countStates([...CRITERIA, criterion("AC-4")], CRITERION_STATES);
  expect(states).toEqual([
    { value: "failed", label: "failed (1)" },
    { value: "notRun", label: "not run (1)" },
    { value: "proven", label: "proven (2)" },
  ]);
});

test.each([
  [{ covered: 0, total: 0 }, 0, "none"],
  [{ covered: 0, total: 7 }, 0, "0 of 7, 0 %"],
  [{ covered: 1, total: 900 }, 1, "1 of 900, 1 %"],
  [{ covered: 899, total: 900 }, 99, "899 of 900, 99 %"],
  [{ covered: 900, total: 900 }, 100, "900 of 900, 100 %"],
])("the share %j is %i %%, in words: %s", (share, percent, words) => {
  expect(describeShare(share)).toEqual({ percent, words });
});

test.each<[string, Partial<CoveredCriterion>, string]>([
  ["the newest version", {}, "list#ok"],
  [
    "a variant that ran",
    { provenBy: [], verdict: { ...verdict("v", "2026-01-02T00:00:00Z"), by: ["pay#ok"] } },
    "pay#ok of v",
  ],
  ["nothing that is recorded", { provenBy: [] }, "not recorded"],
  ["nothing", { provenBy: [], state: "unproven" }, "nothing"],
])("a criterion is proven by %s", (_who, more, words) => {
  expect(describeProvers(criterion("AC-1", more))).toBe(words);
});
