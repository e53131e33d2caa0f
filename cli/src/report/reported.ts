import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import type { Decision } from "../lib/decision.ts";

/** A finding with its position for reports. */
export interface Reported extends NormalizedFinding {
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
  /** The decision that covers it today; undefined for an open one. */
  decision?: Decision | undefined;
}

/** A finding or a change with its position in a file, if one is known. */
export interface Placed extends Omit<Reported, "position"> {
  position: () => ReturnType<Reported["position"]> | undefined;
}

/** The members of a finding that an annotation shows. */
export type Annotated = Pick<Placed, "code" | "severity" | "message" | "file" | "position">;
export type AnnotationLevel = "error" | "warning" | "notice";

/** A change of a contract for reports. Its code is its rule. */
export interface ReportedChange extends Placed {
  level: "breaking" | "maybe" | "safe";
  /** Its place as messages have it, such as `current#/paths/~1pets`. */
  shownAt: string;
  /** Identifies it; edits elsewhere don't change it. */
  fingerprint: string;
  /** Names the exception or the approval that covers it; undefined if there is none. */
  coveredBy: string | undefined;
}

/** A comparison of contracts for reports. */
export interface ReportedComparison {
  changes: readonly ReportedChange[];
  /** A sentence for each part that was not compared, or for the whole. */
  notCompared: readonly string[];
  /** Says in a few words what was found. */
  headline: string;
}

/** The content of a report. */
export interface ReportContent {
  /** Undefined if nothing was linted. */
  findings: readonly Reported[] | undefined;
  /** One for each description that was compared. */
  comparisons: readonly ReportedComparison[];
}

/** Returns the changes that need somebody's attention: they are in reports beside the findings. */
export function openChanges(comparisons: readonly ReportedComparison[]): ReportedChange[] {
  return comparisons
    .flatMap(({ changes }) => changes)
    .filter(({ level, coveredBy }) => level !== "safe" && coveredBy === undefined);
}
