import type { Comparison } from "@waymark/contract-diff/compare-contracts.ts";
import type { Level, Position, Verdict } from "@waymark/contract-diff/verdict.ts";
import type { ContractSide } from "./contract-side.ts";

/** An approval of a change that is intended, as the server has it. */
export interface Approval {
  reason: string;
  /** The last day on which it holds, as `YYYY-MM-DD`; null: until the change is current. */
  until: string | null;
  /** The key that approved the change. */
  approvedBy: string;
  /** The user or the service account to which the key belongs. Null for a key of nobody; undefined from an older server. */
  approver?: { displayName: string | null } | null | undefined;
}

/** A verdict with the approval that covers it, if there is one. */
export interface JudgedVerdict extends Verdict {
  approval?: Approval | undefined;
}

/** The verdicts on all differences of two descriptions, by the rules of a team. */
export interface JudgedComparison extends Comparison {
  verdicts: JudgedVerdict[];
  /** Returns the place of the head for a verdict: of a part that was removed, the nearest one that is left. */
  headPlaceOf: (verdict: Verdict) => Position | undefined;
  /** Returns the absolute path of the file of such a place; undefined if it is on no disk. */
  fileOf: ContractSide["fileOf"];
}

/** The numbers of changes: by level, and of those that are covered. A change is counted once. */
export interface ChangeCounts extends Record<Level, number> {
  excepted: number;
  approved: number;
}

export function countChanges(comparison: Pick<JudgedComparison, "verdicts">): ChangeCounts {
  const countOf = (level: Level) => ofLevel(comparison, level).length;
  return {
    breaking: countOf("breaking"),
    maybe: countOf("maybe"),
    safe: countOf("safe"),
    excepted: exceptedOf(comparison).length,
    approved: approvedOf(comparison).length,
  };
}

/** Returns the verdicts that an exception of `waymark.yaml` covers. */
export function exceptedOf({ verdicts }: Pick<JudgedComparison, "verdicts">): JudgedVerdict[] {
  return verdicts.filter(({ accepted }) => accepted !== undefined);
}

/** Returns the verdicts that an approval on the server covers. */
export function approvedOf({ verdicts }: Pick<JudgedComparison, "verdicts">): JudgedVerdict[] {
  return verdicts.filter(({ approval }) => approval !== undefined);
}

/** Returns the verdicts of a level that neither an exception nor an approval covers. */
export function ofLevel({ verdicts }: Pick<JudgedComparison, "verdicts">, level: Level): JudgedVerdict[] {
  return verdicts.filter((verdict) => verdict.level === level && !isCovered(verdict));
}

/** True for a change that an exception of `waymark.yaml` or an approval on the server covers. Gates don't count it. */
export function isCovered({ accepted, approval }: JudgedVerdict): boolean {
  return accepted !== undefined || approval !== undefined;
}
