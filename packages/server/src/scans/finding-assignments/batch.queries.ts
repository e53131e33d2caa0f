import type { FindingInService } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { type AssigneeIds, REPLACING } from "./queries.ts";

/** A finding of a service with its fingerprint. */
export type AssignedFinding = FindingInService & { fingerprint: string };

const Ended = z.object({ serviceId: z.string(), fingerprint: z.string() });
const Stored = Ended.extend({ code: z.string() });

const CHANGED = sql.fragment`a.service_id AS "serviceId", replace(a.fingerprint::text, '-', '') AS fingerprint`;

/**
 * Assigns findings, in the place of earlier assignees.
 *
 * @param batch.expected only those that have this assignee, or with neither id none; null: all
 * @returns those that were not assigned so before
 */
export function storeAssignments(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  batch: AssigneeIds & {
    findings: readonly AssignedFinding[];
    assignedByKeyId: string;
    expected: AssigneeIds | null;
  },
): Promise<readonly z.infer<typeof Stored>[]> {
  const { findings, principalId, teamId, assignedByKeyId, expected } = batch;
  const isNew = expected === null || (expected.principalId === null && expected.teamId === null);
  const rows = findings.map(({ finding, ...each }) => ({ ...each, ...finding, id: uuidv7() }));
  return tx.any(sql.type(Stored)`
    INSERT INTO finding_assignments AS a
      (organization_id, service_id, fingerprint, id, code, method, path, message, principal_id, team_id, assigned_by_key_id)
    SELECT ${organizationId}, n."serviceId", n.fingerprint, n.id, n.code, n.method, n.path, n.message, ${principalId}::uuid, ${teamId}::uuid,
           ${assignedByKeyId}
    FROM jsonb_to_recordset(${sql.jsonb(rows)})
         AS n ("serviceId" uuid, fingerprint uuid, id uuid, code text, method text, path text, message text)
    WHERE ${isNew} OR EXISTS (
      SELECT FROM finding_assignments a
      WHERE a.organization_id = ${organizationId} AND a.service_id = n."serviceId" AND a.fingerprint = n.fingerprint)
    ${REPLACING}
      WHERE (a.principal_id, a.team_id) IS DISTINCT FROM (excluded.principal_id, excluded.team_id)
        AND ${isExpected(expected)}
    RETURNING ${CHANGED}, a.code`);
}

/** Returns a condition that an assignment `a` has the expected assignee. It never has where nobody is expected. */
const isExpected = (expected: AssigneeIds | null) =>
  expected === null
    ? sql.fragment`true`
    : sql.fragment`(a.principal_id, a.team_id) IS NOT DISTINCT FROM (${expected.principalId}::uuid, ${expected.teamId}::uuid)`;

/**
 * Ends the assignments of findings.
 *
 * @param batch.expected as in `storeAssignments`
 * @returns those that were assigned
 */
export function deleteAssignments(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { findings, expected }: { findings: readonly AssignedFinding[]; expected: AssigneeIds | null },
): Promise<readonly z.infer<typeof Ended>[]> {
  return tx.any(sql.type(Ended)`
    DELETE FROM finding_assignments a
    USING jsonb_to_recordset(${sql.jsonb(findings.map(({ serviceId, fingerprint }) => ({ serviceId, fingerprint })))})
          AS n ("serviceId" uuid, fingerprint uuid)
    WHERE a.organization_id = ${organizationId} AND a.service_id = n."serviceId" AND a.fingerprint = n.fingerprint
      AND ${isExpected(expected)}
    RETURNING ${CHANGED}`);
}
