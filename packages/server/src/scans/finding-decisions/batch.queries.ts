import { coversSeverity } from "@waymark/shared/scans/finding-decisions/covers-severity.ts";
import { DecisionKind, type FindingInService } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { TODAY } from "../../db/today.ts";
import { distinctFindings } from "../distinct-findings.ts";
import { assertRoom, EVERY, lockDecisions, REPLACING } from "./queries.ts";

type DecidedUpTo = FindingInService & { maxSeverity: Severity };

/** A decision about one finding of a service. */
export interface StoredDecision extends DecidedUpTo {
  decisionId: string;
}

/**
 * Stores the same decision about several findings, each in the place of one for the same finding.
 *
 * @throws AppError `limit_reached`
 */
export async function storeDecisions(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  batch: {
    findings: readonly DecidedUpTo[];
    kind: DecisionKind;
    reason: string;
    until: string;
    createdByKeyId: string;
  },
): Promise<{ decisions: StoredDecision[]; replacedCount: number }> {
  const { kind, reason, until, createdByKeyId } = batch;
  await lockDecisions(tx, organizationId);
  const distinct = distinctFindings(batch.findings, (known, { maxSeverity }) =>
    coversSeverity(known.maxSeverity, maxSeverity) ? known : { ...known, maxSeverity },
  );
  const decisions = distinct.map((each) => ({ ...each, decisionId: uuidv7() }));
  const rows = decisions.map(({ finding, ...each }) => ({ ...each, ...finding }));
  const values = sql.fragment`
    jsonb_to_recordset(${sql.jsonb(rows)}) AS n ("decisionId" uuid, "serviceId" uuid, code text, fingerprint uuid, method text, path text,
                                                 message text, "maxSeverity" text)`;
  const replacedCount = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count
    FROM ${values}
    JOIN finding_decisions d ON d.organization_id = ${organizationId} AND coalesce(d.service_id, ${EVERY}) = n."serviceId"
     AND d.code = n.code AND coalesce(d.fingerprint, ${EVERY}) = n.fingerprint AND d.until >= ${TODAY}`);
  await tx.query(sql.type(z.object({}))`
    INSERT INTO finding_decisions
      (organization_id, id, service_id, code, fingerprint, method, path, message, kind, severity_max, reason, until, created_by_key_id)
    SELECT ${organizationId}, n."decisionId", n."serviceId", n.code, n.fingerprint, n.method, n.path, n.message, ${kind}, n."maxSeverity", ${reason},
           ${until}::date, ${createdByKeyId}
    FROM ${values}
    ${REPLACING}`);
  await assertRoom(tx, organizationId);
  return { decisions, replacedCount };
}

const Revoked = z.object({
  id: z.string(),
  service_id: z.string(),
  kind: DecisionKind,
  code: z.string(),
});

/** Deletes decisions, each of the named service. @returns those that were there */
export function deleteDecisions(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  decisions: readonly { serviceId: string; decisionId: string }[],
): Promise<readonly z.infer<typeof Revoked>[]> {
  return tx.any(sql.type(Revoked)`
    DELETE FROM finding_decisions d
    USING jsonb_to_recordset(${sql.jsonb(decisions.map(({ serviceId, decisionId }) => ({ serviceId, decisionId })))})
          AS n ("serviceId" uuid, "decisionId" uuid)
    WHERE d.organization_id = ${organizationId} AND d.id = n."decisionId" AND d.service_id = n."serviceId"
    RETURNING d.id, d.service_id, d.kind, d.code`);
}
