import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";

const Owner = TeamSummary.extend({ serviceId: z.string() });

/** Adds the owner to rows that belong to services. */
export async function withOwners<Row extends { serviceId: string }>(
  tx: DatabaseTransactionConnection,
  { organizationId, rows }: { organizationId: string; rows: readonly Row[] },
): Promise<(Row & { ownerTeam: TeamSummary | null })[]> {
  if (rows.length === 0) return [];
  const ids = sql.array([...new Set(rows.map(({ serviceId }) => serviceId))], "uuid");
  const found = await tx.any(sql.type(Owner)`
    SELECT s.id AS "serviceId", t.id, t.slug, t.display_name AS "displayName"
    FROM services s
    JOIN teams t ON t.organization_id = s.organization_id AND t.id = s.owner_team_id
    WHERE s.organization_id = ${organizationId} AND s.id = ANY(${ids})`);
  const owners = new Map(found.map(({ serviceId, ...team }) => [serviceId, team]));
  return rows.map((row) => ({ ...row, ownerTeam: owners.get(row.serviceId) ?? null }));
}
