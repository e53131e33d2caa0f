import type { ScanRun } from "@waymark/shared/scans/schema.ts";

/** Has a contrast of at least 4.5:1 to white text, in both colour schemes. */
export const HELD_COLOR = "#b23c0a";

/** True if a run is stored and was not promoted, for example because a gate of its pipeline failed. */
export function isHeld({ status, promoted }: Pick<ScanRun, "status" | "promoted">): boolean {
  return status === "completed" && !promoted;
}
