import type { Service } from "@waymark/shared/services/schema.ts";

/** Everything that a badge can say. */
export type BadgeStatus = "failed" | "not promoted" | "critical findings" | "passing" | "no scan yet";

/** A service's status: that of its last scan, then of its current run. */
export function badgeStatusOf(
  service: Pick<Service, "lastFailedScan" | "lastHeldScan" | "currentScanRunId" | "findingsBySeverity">,
): BadgeStatus {
  if (service.lastFailedScan !== null) return "failed";
  if (service.lastHeldScan !== null) return "not promoted";
  if (service.currentScanRunId === null) return "no scan yet";
  return (service.findingsBySeverity?.critical ?? 0) > 0 ? "critical findings" : "passing";
}
