import type { Service } from "@waymark/shared/services/schema.ts";

/** A service without scans. @param rest what differs from that */
export function sampleService(rest: Partial<Service>): Service {
  return {
    id: "s",
    name: "orders",
    aliases: [],
    createdAt: "2026-01-01T00:00:00.000Z",
    archivedAt: null,
    labels: {},
    links: { repository: null, documentation: null, onCall: null },
    ownerTeam: null,
    currentScanRunId: null,
    lastScannedAt: null,
    endpointCount: null,
    findingCount: null,
    findingsBySeverity: null,
    decidedBySeverity: null,
    overdueFindingCount: null,
    defaultBranch: null,
    defaultBranchIsSet: false,
    lastFailedScan: null,
    lastHeldScan: null,
    ...rest,
  };
}
