import { describe, expect, it } from "vitest";
import { compareScans } from "./changes.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "./schema.ts";

const endpoint = (path: string, summary: string | null = null): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags: [],
  summary,
});
const finding = (message: string, severity: NormalizedFinding["severity"] = "low"): NormalizedFinding => ({
  code: "c",
  severity,
  message,
  method: null,
  path: null,
});
const none = { endpoints: [], findings: [] };

describe("compareScans", () => {
  it("finds nothing between equal contents, in whatever order they stand", () => {
    const a = { endpoints: [endpoint("/a"), endpoint("/b")], findings: [finding("x"), finding("y")] };
    const b = { endpoints: a.endpoints.toReversed(), findings: a.findings.toReversed() };
    expect(compareScans(a, b)).toEqual({
      endpoints: { added: [], removed: [], changed: [] },
      findings: { new: [], fixed: [], severityChanged: [] },
    });
  });

  it("tells added, removed and changed endpoints apart", () => {
    const before = {
      ...none,
      endpoints: [endpoint("/gone"), endpoint("/same"), endpoint("/changed", "old")],
    };
    const after = {
      ...none,
      endpoints: [endpoint("/changed", "new"), endpoint("/same"), endpoint("/fresh")],
    };
    expect(compareScans(before, after).endpoints).toEqual({
      added: [endpoint("/fresh")],
      removed: [endpoint("/gone")],
      changed: [{ before: endpoint("/changed", "old"), after: endpoint("/changed", "new") }],
    });
  });

  it("tells new and fixed findings apart, and those that only weigh differently now", () => {
    const before = { ...none, findings: [finding("fixed"), finding("worse", "low")] };
    const after = { ...none, findings: [finding("worse", "critical"), finding("fresh")] };
    expect(compareScans(before, after).findings).toEqual({
      new: [finding("fresh")],
      fixed: [finding("fixed")],
      severityChanged: [{ before: finding("worse", "low"), after: finding("worse", "critical") }],
    });
  });

  it("counts duplicates: one of two that went is removed", () => {
    const twice = { ...none, endpoints: [endpoint("/a"), endpoint("/a")] };
    const once = { ...none, endpoints: [endpoint("/a")] };
    expect(compareScans(twice, once).endpoints.removed).toEqual([endpoint("/a")]);
    expect(compareScans(once, twice).endpoints.added).toEqual([endpoint("/a")]);
  });
});
