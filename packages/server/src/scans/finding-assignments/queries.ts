import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { isAmong } from "../../db/is-among.ts";
import { FindingAssignee, type FindingAssignment } from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { IdentifiedFinding } from "@waymark/shared/scans/finding-decisions/finding-identity.ts";
import { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { findingFingerprint } from "../finding-fingerprint.ts";
import { ASSIGNEE, isAssignedTo, JOIN_ASSIGNEE, type WantedAssignee } from "./assignee.queries.ts";

const AssignmentRow = z.object({
  id: z.string(),
  service_id: z.string(),
  service_name: z.string(),
  code: z.string(),
  fingerprint: z.string(),
  method: HttpMethod.nullable(),
  path: z.string().nullable(),
  message: z.string(),
  assignee: FindingAssignee,
  finding_count: z.number(),
  assigned_by_key_id: z.string(),
  assigned_at: z.string(),
});

/** An assignment with the id by which it is listed. */
export interface ListedAssignment {
  id: string;
  assignment: FindingAssignment;
}

/**
 * Lists assignments, newest first: up to `limit + 1`, so that the caller sees whether there are more.
 *
 * @param options.serviceIds the visible services; null for all
 */
export async function listAssignments(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceIds: readonly string[] | null;
    fingerprint: string | null;
    /** Null for all. */
    assignee: WantedAssignee | null;
    limit: number;
    afterId: string | null;
  },
): Promise<ListedAssignment[]> {
  const { organizationId, serviceIds, fingerprint, assignee, limit, afterId } = options;
  const rows = await tx.any(sql.type(AssignmentRow)`
    WITH page AS MATERIALIZED (
      SELECT a.*, s.name AS service_name, ${ASSIGNEE} AS assignee
      FROM finding_assignments a
      JOIN services s ON s.organization_id = a.organization_id AND s.id = a.service_id AND s.deleted_at IS NULL
      ${JOIN_ASSIGNEE}
      WHERE a.organization_id = ${organizationId} AND ${isAmong(sql.fragment`a.service_id`, serviceIds)}
        AND (${fingerprint}::uuid IS NULL OR a.fingerprint = ${fingerprint}::uuid)
        AND ${assignee === null ? sql.fragment`true` : isAssignedTo(assignee)}
        AND (${afterId}::uuid IS NULL OR a.id < ${afterId}::uuid)
      ORDER BY a.id DESC
      LIMIT ${limit + 1}
    ), rules AS MATERIALIZED (
      SELECT r.service_id, r.code, r.fingerprints
      FROM list_current_rules(${organizationId}, ARRAY(SELECT DISTINCT g.service_id FROM page g), NULL, NULL, NULL, NULL, NULL) r
      WHERE r.code IN (SELECT g.code FROM page g)
    )
    SELECT g.id, g.service_id, g.service_name, g.code, replace(g.fingerprint::text, '-', '') AS fingerprint, g.method, g.path, g.message,
           g.assignee, g.assigned_by_key_id, g.assigned_at, (
             SELECT count(*)::int FROM rules r CROSS JOIN LATERAL unnest(r.fingerprints) f
             WHERE r.service_id = g.service_id AND r.code = g.code AND f = g.fingerprint) AS finding_count
    FROM page g
    ORDER BY g.id DESC`);
  return rows.map((row) => ({ id: row.id, assignment: toAssignment(row) }));
}

/** The user or the team to which a finding is assigned: one of them. */
export interface AssigneeIds {
  principalId: string | null;
  teamId: string | null;
}

/** Puts an assignment in the place of the one of the same finding. */
export const REPLACING = sql.fragment`
    ON CONFLICT (organization_id, service_id, fingerprint) DO UPDATE
      SET id = excluded.id, method = excluded.method, path = excluded.path, message = excluded.message,
          principal_id = excluded.principal_id, team_id = excluded.team_id, assigned_by_key_id = excluded.assigned_by_key_id, assigned_at = now()`;

/** Assigns a finding, in the place of an earlier assignee. */
export async function storeAssignment(
  tx: DatabaseTransactionConnection,
  target: { organizationId: string; serviceId: string; finding: IdentifiedFinding },
  { principalId, teamId, assignedByKeyId }: AssigneeIds & { assignedByKeyId: string },
): Promise<FindingAssignment> {
  const { organizationId, serviceId, finding } = target;
  const { code, method, path, message } = finding;
  const fingerprint = findingFingerprint(finding);
  await tx.query(sql.type(z.object({}))`
    INSERT INTO finding_assignments
      (organization_id, service_id, fingerprint, id, code, method, path, message, principal_id, team_id, assigned_by_key_id)
    VALUES (${organizationId}, ${serviceId}, ${fingerprint}::uuid, ${uuidv7()}, ${code}, ${method}, ${path}, ${message}, ${principalId},
            ${teamId}, ${assignedByKeyId})
    ${REPLACING}`);
  const [stored] = await listAssignments(tx, {
    organizationId,
    serviceIds: [serviceId],
    fingerprint,
    assignee: null,
    limit: 1,
    afterId: null,
  });
  if (stored === undefined) throw new Error("the assignment that was stored is not there");
  return stored.assignment;
}

/**
 * Finds those of the services that have more than `max` assignments, so that they have a limit. The changes of one service come one after the
 * other, and those of several lock them in the same order.
 */
export async function findCrowdedServices(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceIds, max }: { organizationId: string; serviceIds: readonly string[]; max: number },
): Promise<readonly string[]> {
  const ids = sql.array(serviceIds.toSorted(), "uuid");
  await tx.query(sql.type(z.object({}))`
    SELECT pg_advisory_xact_lock(hashtextextended('assigned findings ' || s.id, 0))::text
    FROM unnest(${ids}) WITH ORDINALITY AS s (id, place)
    ORDER BY s.place`);
  return tx.anyFirst(sql.type(z.object({ service_id: z.string() }))`
    SELECT a.service_id FROM finding_assignments a
    WHERE a.organization_id = ${organizationId} AND a.service_id = ANY (${ids})
    GROUP BY a.service_id
    HAVING count(*) > ${max}`);
}

/** Ends the assignment of a finding. @returns false if it was not assigned */
export async function deleteAssignment(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    serviceId,
    fingerprint,
  }: { organizationId: string; serviceId: string; fingerprint: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    DELETE FROM finding_assignments a
    WHERE a.organization_id = ${organizationId} AND a.service_id = ${serviceId} AND a.fingerprint = ${fingerprint}::uuid`);
  return rowCount > 0;
}

function toAssignment(row: z.infer<typeof AssignmentRow>): FindingAssignment {
  const { code, method, path, message, fingerprint, assignee } = row;
  return {
    serviceId: row.service_id,
    serviceName: row.service_name,
    code,
    finding: { method, path, message },
    fingerprint,
    assignee,
    findingCount: row.finding_count,
    assignedByKeyId: row.assigned_by_key_id,
    assignedAt: row.assigned_at,
  };
}
