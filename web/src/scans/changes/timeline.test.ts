import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { expect, test } from "vitest";
import { inOrder, timelineOf } from "./timeline.ts";

const run = {
  createdAt: "2026-10-01T10:00:00Z",
  completedAt: "2026-10-01T10:00:01Z",
  status: "completed",
  creator: null,
} as const;

const approved = (approvedBy: string, reason: string): Pick<Verdict, "approval"> => ({
  approval: { reason, until: null, approvedBy, approver: null, approvedAt: "2026-10-01T12:00:00Z" },
});

test("what happened to a run is in order, with who did it, and changes accepted together are one entry", () => {
  const entries = timelineOf({
    run,
    keyNames: new Map([["ada", "Ada's key"]]),
    submitter: "orders pipeline",
    comparison: { comparedAt: "2026-10-01T10:00:20Z" },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the approval is all that is read
    verdicts: [approved("ada", "agreed"), approved("ada", "agreed"), { approval: null }] as Verdict[],
    gates: {
      gates: [
        { gate: "a", passed: false, causes: [], causeCount: 1 },
        { gate: "b", passed: true, causes: [], causeCount: 0 },
      ],
      judgedByKeyId: "key",
      judgedAt: "2026-10-01T10:00:10Z",
    },
    promotedAt: Date.parse("2026-10-02T00:00:00Z"),
  });
  expect(entries.map(({ what, reason }) => [what, reason])).toEqual([
    ["Submitted, by key orders pipeline", undefined],
    ["1 of 2 gates failed", undefined],
    ["Compared", undefined],
    ["2 changes accepted, by key Ada's key", "agreed"],
    ["Promoted", undefined],
  ]);
});

test("nothing is made up where little is known", () => {
  const nothing = {
    keyNames: undefined,
    submitter: undefined,
    comparison: undefined,
    verdicts: [],
    gates: null,
    promotedAt: undefined,
  };
  expect(timelineOf({ run, ...nothing }).map(({ what }) => what)).toEqual(["Submitted"]);
});

test("comments are between what happened before and after them, and stay in their order at one time", () => {
  const [at, later] = ["2026-10-01T10:00:00Z", "2026-10-01T12:00:00.000Z"];
  const comments = [
    { createdAt: at, text: "one" },
    { createdAt: at, text: "two" },
  ];
  const entries = [
    { at, what: "Submitted" },
    { at: later, what: "Promoted" },
  ];
  const shown = inOrder(entries, comments).map((each) => ("text" in each ? each.text : each.what));
  expect(shown).toEqual(["Submitted", "one", "two", "Promoted"]);
});
