import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { NormalizedEndpoint, NormalizedFinding, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { describe, expect, test } from "vitest";
import { changeCards, countAllChanges, countLevels } from "./change-cards.ts";

const endpoint = (path: string, more: Partial<NormalizedEndpoint> = {}): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags: [],
  summary: null,
  ...more,
});

const verdict = (level: Verdict["level"], paths: readonly string[]): Verdict => ({
  id: "rule",
  level,
  direction: "request",
  message: `${level} ${paths.join()}`,
  at: "",
  operations: paths.map((path) => ({ method: "GET", path, kind: "operation" })),
  operationCount: paths.length,
  before: null,
  after: null,
  reason: null,
  base: null,
  head: null,
  fingerprint: "0123456789abcdef0123456789abcdef",
  approval: null,
});

const NONE = { added: [], removed: [], changed: [] };

const comparison = (status: "compared" | "not_compared"): ScanChanges["comparison"] => ({
  status,
  reason: status === "compared" ? null : "no_description",
  against: "before",
  counts: null,
  notListed: 0,
  notCompared: [],
  comparedAt: null,
  rules: null,
});

const cardsOf = (
  verdicts: readonly Verdict[],
  endpoints: Partial<ScanChanges["endpoints"]> = {},
  status: "compared" | "not_compared" = "compared",
) =>
  changeCards({
    verdicts: [...verdicts],
    endpoints: { ...NONE, ...endpoints },
    comparison: comparison(status),
  });

const outline = (cards: ReturnType<typeof cardsOf>) =>
  cards.map(({ level, operations, verdicts, endpoint: own }) => [
    level,
    operations.map(({ path }) => path).join(),
    verdicts.length,
    own?.kind,
  ]);

describe("the cards of changes", () => {
  test("have a change of many operations once, the most severe cards first", () => {
    const cards = cardsOf([
      verdict("safe", ["/a"]),
      verdict("breaking", ["/a", "/b", "/c"]),
      verdict("maybe", ["/a"]),
    ]);
    expect(outline(cards)).toEqual([
      ["breaking", "/a,/b,/c", 1, undefined],
      ["maybe", "/a", 2, undefined],
    ]);
  });

  test("have what happened to an endpoint in the card of its operation, whatever its parameters are called", () => {
    const removed = [endpoint("/a/{id}")];
    expect(outline(cardsOf([verdict("safe", ["/a/{key}"])], { removed }))).toEqual([
      ["safe", "/a/{key}", 1, "removed"],
    ]);
  });

  test("never make an endpoint that is gone look safe without a verdict", () => {
    const removed = [endpoint("/a")];
    expect(outline(cardsOf([], { removed }))).toEqual([["breaking", "/a", 0, "removed"]]);
    expect(outline(cardsOf([], { removed }, "not_compared"))).toEqual([["breaking", "/a", 0, "removed"]]);
  });

  test("tell documentation from operationIds, which generated clients need, where nothing else was compared", () => {
    const changed = [
      { before: endpoint("/a", { summary: "x" }), after: endpoint("/a", { summary: "y" }) },
      { before: endpoint("/b", { operationId: "x" }), after: endpoint("/b", { operationId: "y" }) },
    ];
    expect(outline(cardsOf([], { changed }, "not_compared"))).toEqual([
      ["maybe", "/b", 0, "changed"],
      ["documentation", "/a", 0, "changed"],
    ]);
    expect(outline(cardsOf([], { changed })).map(([level]) => level)).toEqual([
      "documentation",
      "documentation",
    ]);
  });

  test("have a renamed path parameter as one change", () => {
    const cards = cardsOf([], { added: [endpoint("/a/{key}")], removed: [endpoint("/a/{id}")] });
    expect(outline(cards)).toEqual([["documentation", "/a/{key}", 0, "renamed"]]);
  });

  test("are counted by their verdicts, and without any as one change", () => {
    const cards = cardsOf([verdict("breaking", ["/a"]), verdict("safe", ["/a"])], {
      added: [endpoint("/b")],
    });
    expect(countLevels(cards)).toEqual({ breaking: 1, maybe: 0, safe: 2, documentation: 0 });
  });

  test("keep changes of the whole description", () => {
    expect(outline(cardsOf([verdict("maybe", [])]))).toEqual([["maybe", "", 1, undefined]]);
  });
});

describe("the number of all changes", () => {
  const finding: NormalizedFinding = { code: "x", severity: "low", message: "m", method: null, path: null };
  const changes: ScanChanges = {
    scanRunId: "a",
    against: "b",
    previous: "b",
    endpoints: {
      added: [endpoint("/a/{key}"), endpoint("/new")],
      removed: [endpoint("/a/{id}")],
      changed: [],
    },
    findings: { new: [finding, finding], fixed: [finding], removedWithEndpoint: [], severityChanged: [] },
    comparison: comparison("not_compared"),
    verdicts: [],
  };
  const compared: ScanChanges = {
    ...changes,
    comparison: { ...comparison("compared"), counts: { breaking: 900, maybe: 0, safe: 1, approved: 0 } },
    verdicts: [verdict("safe", ["/new"])],
  };

  test("counts endpoints, once if only a parameter was renamed, and findings", () => {
    expect(countAllChanges(changes)).toBe(5);
  });

  test("counts all verdicts, also those that are not loaded, and no endpoint twice", () => {
    expect(countAllChanges(compared)).toBe(901 + 1 + 3);
    expect(countAllChanges({ ...compared, nextCursor: "more" })).toBe(901 + 3);
  });
});
