import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** A finding with its position for reports. */
export interface Reported extends NormalizedFinding {
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
}
