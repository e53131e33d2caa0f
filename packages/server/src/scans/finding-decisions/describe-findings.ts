import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import type { NormalizedFinding, RunFinding } from "@waymark/shared/scans/schema.ts";
import { findingFingerprint } from "../finding-fingerprint.ts";
import { findingIdOf } from "../finding-id.ts";
import { findDecisions } from "./queries.ts";

/** Returns findings of a service with their ids, fingerprints, and the decisions that cover them today. */
export async function describeFindings(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
  findings: readonly NormalizedFinding[],
): Promise<RunFinding[]> {
  const codes = findings.map(({ code }) => code);
  const decisionOn = await findDecisions(tx, { organizationId, serviceIds: [serviceId], codes });
  return findings.map((finding) => ({
    id: findingIdOf(serviceId, finding),
    ...finding,
    fingerprint: findingFingerprint(finding),
    decision: decisionOn(serviceId, finding),
  }));
}
