import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { FindingAssignee } from "@waymark/shared/scans/finding-assignments/schema.ts";

/** The findings that a list is about, by whom they are assigned to. */
export interface WantedAssignee {
  /** `me`, `none`, the id of a user, or the slug of a team. */
  assignee: string;
  /** The user of the calling key, for whom `me` stands. */
  userId: string | null;
}

/** The assignee of the assignment `a`, as JSON. */
export const ASSIGNEE = sql.fragment`
  CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('type', 'user', 'id', p.id, 'displayName', p.display_name, 'slug', NULL)
       ELSE jsonb_build_object('type', 'team', 'id', t.id, 'displayName', t.display_name, 'slug', t.slug) END`;

/** The joins that `ASSIGNEE` needs. */
export const JOIN_ASSIGNEE = sql.fragment`
  LEFT JOIN principals p ON p.organization_id = a.organization_id AND p.id = a.principal_id
  LEFT JOIN teams t ON t.organization_id = a.organization_id AND t.id = a.team_id`;

/** Returns the condition that the assignment `a` is one to the wanted assignee. No assignment is one to nobody. */
export function isAssignedTo({ assignee, userId }: WantedAssignee): FragmentSqlToken {
  if (assignee === "none") return sql.fragment`false`;
  if (assignee === "me") {
    return sql.fragment`(a.principal_id = ${userId}::uuid OR a.team_id IN (
      SELECT m.team_id FROM team_members m WHERE m.organization_id = a.organization_id AND m.principal_id = ${userId}::uuid))`;
  }
  // No slug looks like an id.
  if (z.guid().safeParse(assignee).success) return sql.fragment`a.principal_id = ${assignee}::uuid`;
  return sql.fragment`a.team_id = (
    SELECT w.id FROM teams w WHERE w.organization_id = a.organization_id AND w.slug = ${assignee})`;
}

/** Returns the condition that a finding is assigned as it is wanted. The findings are those of a statement, by its columns. */
export function hasAssignee(
  finding: { organizationId: string; serviceId: FragmentSqlToken; fingerprint: FragmentSqlToken },
  wanted: WantedAssignee,
): FragmentSqlToken {
  const { organizationId, serviceId, fingerprint } = finding;
  const assigned = sql.fragment`
    SELECT FROM finding_assignments a
    WHERE a.organization_id = ${organizationId} AND a.service_id = ${serviceId} AND a.fingerprint = ${fingerprint}`;
  if (wanted.assignee === "none") return sql.fragment`NOT EXISTS (${assigned})`;
  return sql.fragment`EXISTS (${assigned} AND ${isAssignedTo(wanted)})`;
}

const AssigneeRow = z.object({ service_id: z.string(), fingerprint: z.string(), assignee: FindingAssignee });

/** Returns a function that finds the assignee of a finding of some of these services; null if it is assigned to nobody. */
export async function findAssignees(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    findings,
  }: { organizationId: string; findings: readonly { serviceId: string; fingerprint: string }[] },
): Promise<(finding: { serviceId: string; fingerprint: string }) => FindingAssignee | null> {
  const wanted = new Map(findings.map((finding) => [keyOf(finding), finding]));
  if (wanted.size === 0) return () => null;
  const [services, fingerprints] = [
    [...wanted.values()].map(({ serviceId }) => serviceId),
    [...wanted.values()].map(({ fingerprint }) => fingerprint),
  ];
  const rows = await tx.any(sql.type(AssigneeRow)`
    SELECT a.service_id, replace(a.fingerprint::text, '-', '') AS fingerprint, ${ASSIGNEE} AS assignee
    FROM unnest(${sql.array(services, "uuid")}, ${sql.array(fingerprints, "uuid")}) f (service_id, fingerprint)
    JOIN finding_assignments a
      ON a.organization_id = ${organizationId} AND a.service_id = f.service_id AND a.fingerprint = f.fingerprint
    ${JOIN_ASSIGNEE}`);
  const found = new Map(
    rows.map((row) => [keyOf({ serviceId: row.service_id, fingerprint: row.fingerprint }), row.assignee]),
  );
  return (finding) => found.get(keyOf(finding)) ?? null;
}

const keyOf = ({ serviceId, fingerprint }: { serviceId: string; fingerprint: string }) =>
  `${serviceId} ${fingerprint}`;
