import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** A finding with what a report needs of its place. */
export interface Reported extends NormalizedFinding {
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
}
