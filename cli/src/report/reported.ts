import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** A finding with what a report needs of its place. */
export interface Reported extends NormalizedFinding {
  file: string;
  position: () => { line: number; column: number };
  helpUrl: string | undefined;
}
