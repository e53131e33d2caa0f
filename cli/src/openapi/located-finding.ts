import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import type { Decision } from "../lib/decision.ts";

/** A finding of the rule engine or of another tool, with its position. */
export interface LocatedFinding extends NormalizedFinding {
  /** Absolute path; undefined for standard input. */
  file: string | undefined;
  /** Line and column from 1. Computed on demand, because it parses the file again. */
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
  /** The decision that covers it today; undefined for an open one. */
  decision?: Decision | undefined;
}
