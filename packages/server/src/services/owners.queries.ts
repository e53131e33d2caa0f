import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";

const Row = TeamSummary.extend({ serviceId: z.string() });

/** Returns the owners of services, by the service's id. Services without one are not in it. */
export async function ownersOf(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceIds }: { organizationId: string; serviceIds: readonly string[] },
): Promise<ReadonlyMap<string, TeamSummary>> {
  const ids = sql.array([...new Set(serviceIds)], "uuid");
  const rows = await tx.any(sql.type(Row)`
    SELECT s.id AS "serviceId", t.id, t.slug, t.display_name AS "displayName"
    FROM services s
    JOIN teams t ON t.organization_id = s.organization_id AND t.id = s.owner_team_id
    WHERE s.organization_id = ${organizationId} AND s.id = ANY(${ids})`);
  return new Map(rows.map(({ serviceId, ...team }) => [serviceId, team]));
}

/** Adds the owner to rows that belong to services. */
export async function withOwners<Row extends { serviceId: string }>(
  tx: DatabaseTransactionConnection,
  { organizationId, rows }: { organizationId: string; rows: readonly Row[] },
): Promise<(Row & { ownerTeam: TeamSummary | null })[]> {
  const serviceIds = rows.map(({ serviceId }) => serviceId);
  const owners =
    rows.length === 0 ? new Map<string, TeamSummary>() : await ownersOf(tx, { organizationId, serviceIds });
  return rows.map((row) => ({ ...row, ownerTeam: owners.get(row.serviceId) ?? null }));
}
