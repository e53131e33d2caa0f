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

/** Returns the verdicts of a level that neither an exception nor an approval covers. */
export function ofLevel({ verdicts }: Pick<JudgedComparison, "verdicts">, level: Level): JudgedVerdict[] {
  return verdicts.filter((verdict) => verdict.level === level && !isAccepted(verdict));
}

/** True for a change that the team has accepted, in `waymark.yaml` or on the server. */
export function isAccepted({ accepted, approval }: JudgedVerdict): boolean {
  return accepted !== undefined || approval !== undefined;
}
