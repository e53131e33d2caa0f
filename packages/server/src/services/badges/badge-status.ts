import type { Service } from "@waymark/shared/services/schema.ts";

/** Everything that a badge can say. */
export type BadgeStatus =
  | "failed"
  | "not promoted"
  | "breaks clients"
  | "critical findings"
  | "passing"
  | "no scan yet";

/** A service's status: that of its last scan, then of its last change, then of its current run. */
export function badgeStatusOf(
  service: Pick<
    Service,
    "lastFailedScan" | "lastHeldScan" | "currentScanRunId" | "findingsBySeverity" | "decidedBySeverity"
  >,
  { breaksClients }: { breaksClients: boolean },
): BadgeStatus {
  if (service.lastFailedScan !== null) return "failed";
  if (service.lastHeldScan !== null) return "not promoted";
  if (service.currentScanRunId === null) return "no scan yet";
  if (breaksClients) return "breaks clients";
  const critical = (service.findingsBySeverity?.critical ?? 0) - (service.decidedBySeverity?.critical ?? 0);
  return critical > 0 ? "critical findings" : "passing";
}
