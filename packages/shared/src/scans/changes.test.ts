import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareScans, type ScanContent, difference } from "./changes.ts";
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

/** Few different items, so that many are duplicates. */
const contents = fc.record({
  endpoints: fc.array(
    fc
      .tuple(fc.constantFrom("/a", "/b"), fc.constantFrom(null, "1", "2"))
      .map(([path, summary]) => endpoint(path, summary)),
    { maxLength: 8 },
  ),
  findings: fc.array(
    fc
      .tuple(fc.constantFrom("m", "n"), fc.constantFrom("low", "high"), fc.constantFrom(null, "/a"))
      .map(([message, severity, path]) => ({
        ...finding(message, severity),
        method: path === null ? null : ("GET" as const),
        path,
      })),
    { maxLength: 8 },
  ),
});
const text = (item: unknown) => JSON.stringify(item);

/** The result in an order that depends only on its items. */
function sorted({ endpoints, findings }: ReturnType<typeof compareScans>) {
  return [endpoints, findings].map((lists) =>
    Object.values(lists).map((items) => items.map(text).toSorted()),
  );
}

describe("compareScans", () => {
  it("finds no changes between equal contents in any order", () => {
    const a = { endpoints: [endpoint("/a"), endpoint("/b")], findings: [finding("x"), finding("y")] };
    const b = { endpoints: a.endpoints.toReversed(), findings: a.findings.toReversed() };
    expect(compareScans(a, b)).toEqual({
      endpoints: { added: [], removed: [], changed: [] },
      findings: { new: [], fixed: [], removedWithEndpoint: [], severityChanged: [] },
    });
  });

  it("distinguishes added, removed and changed endpoints", () => {
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

  it("distinguishes new and fixed findings, and those with another severity", () => {
    const before = { ...none, findings: [finding("fixed"), finding("worse", "low")] };
    const after = { ...none, findings: [finding("worse", "critical"), finding("fresh")] };
    expect(compareScans(before, after).findings).toEqual({
      new: [finding("fresh")],
      fixed: [finding("fixed")],
      removedWithEndpoint: [],
      severityChanged: [{ before: finding("worse", "low"), after: finding("worse", "critical") }],
    });
  });

  it("counts a finding as fixed only if its endpoint is still there, or if it belongs to none", () => {
    const at = (path: string | null, method: "GET" | "POST" | null) => ({ ...finding("m"), path, method });
    const gone = [at("/gone", "GET"), { ...at("/gone", "GET"), code: "d" }];
    // A path without a method belongs to all of its operations, of which others may still be there.
    const fixed = [at("/gone", null), at("/gone", "POST"), at("/kept", "GET"), at(null, null)];
    const before = { endpoints: [endpoint("/gone"), endpoint("/kept")], findings: [...gone, ...fixed] };
    const after = { endpoints: [endpoint("/kept")], findings: [] };
    expect(compareScans(before, after).findings).toMatchObject({ fixed, removedWithEndpoint: gone });
    // The endpoint of a finding that stays may be removed too: nothing has happened to the finding.
    expect(compareScans(before, { ...after, findings: before.findings }).findings).toMatchObject({
      fixed: [],
      removedWithEndpoint: [],
    });
  });

  it("counts duplicates: one of two that disappeared is removed", () => {
    const twice = { ...none, endpoints: [endpoint("/a"), endpoint("/a")] };
    const once = { ...none, endpoints: [endpoint("/a")] };
    expect(compareScans(twice, once).endpoints.removed).toEqual([endpoint("/a")]);
    expect(compareScans(once, twice).endpoints.added).toEqual([endpoint("/a")]);
  });

  it("matches fully equal duplicates first, then the others in the order of their details", () => {
    const before = { ...none, endpoints: [endpoint("/a", "1"), endpoint("/a", "2"), endpoint("/a", "3")] };
    const after = { ...none, endpoints: [endpoint("/a", "3"), endpoint("/a", "new")] };
    const answer = {
      added: [],
      removed: [endpoint("/a", "2")],
      changed: [{ before: endpoint("/a", "1"), after: endpoint("/a", "new") }],
    };
    expect(compareScans(before, after).endpoints).toEqual(answer);
    const reversed = { ...none, endpoints: before.endpoints.toReversed() };
    expect(compareScans(reversed, after).endpoints).toEqual(answer);
  });

  it("lists changes in submitted order", () => {
    const endpoints = ["/c", "/a", "/b"].map((path) => endpoint(path));
    const changed = endpoints.map((one) => ({ ...one, summary: "new" }));
    expect(compareScans(none, { ...none, endpoints }).endpoints.added).toEqual(endpoints);
    expect(compareScans({ ...none, endpoints }, none).endpoints.removed).toEqual(endpoints);
    const { endpoints: differences } = compareScans({ ...none, endpoints }, { ...none, endpoints: changed });
    expect(differences.changed.map(({ after }) => after)).toEqual(changed);
  });

  it("accounts for every item of any contents", () => {
    fc.assert(
      fc.property(contents, contents, (before, after) => {
        const { added, removed, changed } = compareScans(before, after).endpoints;
        const kept = difference(before.endpoints, [...removed, ...changed.map((one) => one.before)], text);
        const made = [...kept, ...added, ...changed.map((one) => one.after)];
        expect(made.map(text).toSorted()).toEqual(after.endpoints.map(text).toSorted());
        const paths = (items: NormalizedEndpoint[]) => items.map(({ path }) => path);
        for (const path of paths(added)) expect(paths(removed)).not.toContain(path);
      }),
    );
  });

  it("finds the same changes if common items are left out of both, including any of several equal items", () => {
    fc.assert(
      fc.property(contents, contents, contents, fc.infiniteStream(fc.nat()), (before, after, common, at) => {
        const insert = <Item>(items: readonly Item[], more: readonly Item[]) =>
          more.reduce<Item[]>(
            (all, item) => all.toSpliced(at.next().value % (all.length + 1), 0, item),
            [...items],
          );
        const withCommon = (content: ScanContent) => ({
          endpoints: insert(content.endpoints, common.endpoints),
          findings: insert(content.findings, common.findings),
        });
        expect(sorted(compareScans(withCommon(before), withCommon(after)))).toEqual(
          sorted(compareScans(before, after)),
        );
      }),
    );
  });
});
