import type { Comparison, Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanGates } from "@waymark/shared/scans/gates/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { byWhom } from "../../lib/by-whom.ts";
import { countOf } from "../../lib/count-of.ts";

/** Something that happened to a run. */
export interface TimelineEntry {
  at: string;
  what: string;
  /** The reason that somebody gave. */
  reason?: string;
}

/** Returns what happened to a run as far as it is known, the first first. */
export function timelineOf(known: {
  run: Pick<ScanRun, "createdAt" | "completedAt" | "status" | "creator">;
  /** Names of keys by their ids; undefined if the session may not read them. */
  keyNames: ReadonlyMap<string, string> | undefined;
  /** The name of the key that submitted it, if that belongs to nobody. */
  submitter: string | undefined;
  comparison: Pick<Comparison, "comparedAt"> | undefined;
  verdicts: readonly Verdict[];
  gates: ScanGates | null;
  /** When this window promoted the run, in milliseconds. */
  promotedAt: number | undefined;
}): TimelineEntry[] {
  const { run, keyNames, submitter, comparison, verdicts, gates, promotedAt } = known;
  const entries: TimelineEntry[] = [
    { at: run.createdAt, what: `Submitted${byWhom(run.creator, submitter)}` },
  ];
  if (run.completedAt !== null && run.status === "failed")
    entries.push({ at: run.completedAt, what: "Failed" });
  if (comparison?.comparedAt !== undefined && comparison.comparedAt !== null)
    entries.push({ at: comparison.comparedAt, what: "Compared" });
  if (gates !== null) entries.push({ at: gates.judgedAt, what: describeGates(gates) });
  entries.push(...approvalsOf(verdicts, keyNames));
  if (promotedAt !== undefined) entries.push({ at: new Date(promotedAt).toISOString(), what: "Promoted" });
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Returns entries and comments together by their times, the first first. */
export function inOrder<Comment extends { createdAt: string }>(
  entries: readonly TimelineEntry[],
  comments: readonly Comment[],
): (TimelineEntry | Comment)[] {
  const timeOf = (each: TimelineEntry | Comment) =>
    Date.parse("createdAt" in each ? each.createdAt : each.at);
  return [...entries, ...comments].toSorted((a, b) => timeOf(a) - timeOf(b));
}

function describeGates({ gates }: ScanGates): string {
  const failed = gates.filter(({ passed }) => !passed).length;
  if (failed === 0) return `${countOf(gates.length, "gates")} passed`;
  return `${failed} of ${countOf(gates.length, "gates")} failed`;
}

/** Changes that were accepted together are one entry. */
function approvalsOf(
  verdicts: readonly Verdict[],
  keyNames: ReadonlyMap<string, string> | undefined,
): TimelineEntry[] {
  const approvals = verdicts.flatMap(({ approval }) => (approval === null ? [] : [approval]));
  const groups = Map.groupBy(approvals, ({ approvedAt, approvedBy }) => `${approvedAt} ${approvedBy}`);
  return [...groups.values()].flatMap((together) => {
    const [first] = together;
    if (first === undefined) return [];
    const { approvedAt, approver, approvedBy, reason } = first;
    const by = byWhom(approver, keyNames?.get(approvedBy));
    return [{ at: approvedAt, what: `${countOf(together.length, "changes")} accepted${by}`, reason }];
  });
}
