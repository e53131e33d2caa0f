import type { ScanRun } from "@waymark/shared/scans/schema.ts";

/** Whether a run is stored and was not promoted, for example because a gate of its pipeline failed. */
export function isHeld({ status, promoted }: Pick<ScanRun, "status" | "promoted">): boolean {
  return status === "completed" && !promoted;
}
