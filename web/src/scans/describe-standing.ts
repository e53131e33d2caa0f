import { describeFailed, namesOfFailed } from "../lib/describe-gates.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";

/** The fields of a service about its current run. */
export type CurrentRun = Pick<Service, "currentScanRunId" | "lastScannedAt">;

/** Says whether a completed run is its service's current one, and why not as far as that is stored. */
export function describeStanding(
  run: Pick<ScanRun, "id" | "serviceName" | "promoted" | "createdAt" | "scannedAt" | "source" | "gates">,
  { currentScanRunId, lastScannedAt }: CurrentRun,
): string {
  if (run.id === currentScanRunId) return `It is the current run of ${run.serviceName}.`;
  const current = lastScannedAt === null ? -Infinity : Date.parse(lastScannedAt);
  const isNewer = current >= Date.parse(run.scannedAt);
  const notCurrent = `It is not the current run of ${run.serviceName}.`;
  if (!run.promoted) {
    const branch = run.source?.branch ?? null;
    const failed = describeFailed(namesOfFailed(run.gates));
    return [
      notCurrent,
      "It was submitted with Waymark-Promote: false.",
      failed === undefined ? "" : `It ${failed}.`,
      branch === null ? "" : `Its branch is ${branch}.`,
      isNewer ? "A newer run is current, and stays current if this one is promoted." : "",
    ]
      .filter(Boolean)
      .join(" ");
  }
  if (!isNewer) return notCurrent;
  return current >= Date.parse(run.createdAt)
    ? `${notCurrent} A newer run is current.`
    : `${notCurrent} Its Scanned-At is earlier than that of the current run.`;
}
