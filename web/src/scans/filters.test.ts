import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import { filterFindings, findingOrder } from "./filter-findings.ts";
import { filterEndpoints, linkFindings, sortEndpoints } from "./filters.ts";

const endpoint = (path: string, rest: Partial<NormalizedEndpoint> = {}): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags: [],
  summary: null,
  ...rest,
});
const finding = (code: string, rest: Partial<NormalizedFinding> = {}): NormalizedFinding => ({
  code,
  severity: "low",
  message: "Something.",
  method: null,
  path: null,
  ...rest,
});
const ENDPOINTS = [
  endpoint("/books", { tags: ["shelf"], summary: "Lists books" }),
  endpoint("/books", { method: "POST", operationId: "addBook" }),
  endpoint("/authors"),
];
const FINDINGS = [
  finding("no-summary", { method: "POST", path: "/books", severity: "medium" }),
  finding("bad-path", { path: "/books", severity: "low" }),
  finding("no-auth", { method: "POST", path: "/books", severity: "critical" }),
  finding("no-license", { severity: "high" }),
];
const ROWS = linkFindings(ENDPOINTS, FINDINGS);
const ANY = { text: "", method: "", tag: "", severity: "", operation: "" };
const ordinals = (rows: readonly { ordinal: number }[]) => rows.map(({ ordinal }) => ordinal);

test("a finding belongs to its operation, one without a method to all of its path, one without a path to none", () => {
  const codes = ROWS.map(({ findings }) => findings.map(({ code }) => code));
  expect(codes).toEqual([["bad-path"], ["no-summary", "no-auth", "bad-path"], []]);
  expect(ROWS.map(({ worst }) => worst)).toEqual(["low", "critical", undefined]);
});

test.each([
  [{}, [0, 1, 2]],
  [{ text: "BOOK" }, [0, 1]],
  [{ text: "addbook" }, [1]],
  [{ text: "shelf" }, [0]],
  [{ method: "POST" }, [1]],
  [{ tag: "shelf" }, [0]],
  [{ tag: "shel" }, []],
  [{ severity: "low" }, [0, 1]],
  [{ severity: "low", method: "GET" }, [0]],
  [{ operation: "GET /books" }, [0]],
  [{ operation: "* /books" }, [0, 1]],
])("the endpoints that %j leaves", (filter, expected) => {
  expect(ordinals(filterEndpoints(ROWS, { ...ANY, ...filter }))).toEqual(expected);
});

test.each([
  ["", [0, 1, 2]],
  ["path", [2, 0, 1]],
  ["-method", [1, 0, 2]],
  ["findings", [1, 0, 2]],
  ["-findings", [2, 0, 1]],
])("the endpoints sorted by %j: those with the worst findings come first by findings", (order, expected) => {
  expect(ordinals(sortEndpoints(ROWS, order))).toEqual(expected);
});

test("of endpoints with equally bad findings the one with more comes first", () => {
  const rows = linkFindings(
    [endpoint("/a"), endpoint("/b")],
    ["/a", "/b", "/b"].map((path) => finding("x", { path })),
  );
  expect(ordinals(sortEndpoints(rows, "findings"))).toEqual([1, 0]);
});

const RUN_FINDINGS = FINDINGS.map((each, index) => ({
  ...each,
  id: `id-${index}`,
  fingerprint: "0".repeat(32),
  exceededDecision: null,
  decision:
    index > 0
      ? null
      : {
          id: "d",
          kind: "wont_fix" as const,
          maxSeverity: "critical" as const,
          reason: "r",
          until: "2026-01-01",
          target: "rule" as const,
          decidedBy: "k",
          decider: null,
          decidedAt: "2025-01-01T00:00:00.000Z",
        },
}));

test("findings come worst first unless another order is chosen, and equal ones as submitted", () => {
  const codes = (
    text: string,
    rest: { severity?: string; operation?: string; state?: string } = {},
    order = "",
  ) =>
    filterFindings(RUN_FINDINGS, { text, severity: "", operation: "", state: "", ...rest }, order).map(
      ({ code }) => code,
    );
  expect(codes("")).toEqual(["no-auth", "no-license", "no-summary", "bad-path"]);
  expect(codes("", {}, "-severity")).toEqual(["bad-path", "no-summary", "no-license", "no-auth"]);
  expect(codes("", {}, "code")).toEqual(["bad-path", "no-auth", "no-license", "no-summary"]);
  expect(codes("/BOOKS")).toEqual(["no-auth", "no-summary", "bad-path"]);
  expect(codes("", { severity: "high" })).toEqual(["no-license"]);
  expect(codes("", { operation: "POST /books" })).toEqual(["no-auth", "no-summary", "bad-path"]);
  expect(codes("", { state: "decided" })).toEqual(["no-summary"]);
  expect(codes("", { state: "open" })).toEqual(["no-auth", "no-license", "bad-path"]);
  expect(findingOrder("")).toBe("severity");
  expect(findingOrder("-code")).toBe("-code");
});
