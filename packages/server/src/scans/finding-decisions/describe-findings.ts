import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import type { NormalizedFinding, RunFinding } from "@waymark/shared/scans/schema.ts";
import { findingFingerprint } from "../finding-fingerprint.ts";
import { findingIdOf } from "../finding-id.ts";
import { findDecisions } from "./covering.queries.ts";

/** The members of a finding that are not sent with it. */
type FindingDescription = Pick<RunFinding, "id" | "fingerprint" | "decision" | "exceededDecision">;

/**
 * Returns a function that describes a finding of a service: its id, its fingerprint, and the decisions on it today.
 *
 * @param wanted the services of the findings, and the codes of their rules
 */
export async function createDescriber(
  tx: DatabaseTransactionConnection,
  wanted: Parameters<typeof findDecisions>[1],
): Promise<(serviceId: string, finding: NormalizedFinding) => FindingDescription> {
  const decisionsOn = await findDecisions(tx, wanted);
  return (serviceId, finding) => ({
    id: findingIdOf(serviceId, finding),
    fingerprint: findingFingerprint(finding),
    ...decisionsOn(serviceId, finding),
  });
}

/** Returns findings of a service, each with its description. */
export async function describeFindings(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
  findings: readonly NormalizedFinding[],
): Promise<RunFinding[]> {
  const codes = findings.map(({ code }) => code);
  const describe = await createDescriber(tx, { organizationId, serviceIds: [serviceId], codes });
  return findings.map((finding) => ({ ...describe(serviceId, finding), ...finding }));
}
