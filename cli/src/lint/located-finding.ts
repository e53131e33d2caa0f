import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** A finding of the rule engine with where it stands in the files. */
export interface LocatedFinding extends NormalizedFinding {
  /** Absolute path; undefined for standard input. */
  file: string | undefined;
  /** Line and column from 1. Computed when asked for: it costs another parse of the file. */
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
}
