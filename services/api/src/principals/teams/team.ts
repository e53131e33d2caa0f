import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { TeamViewer } from "@waymark/server/principals/teams.queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { v7 as uuidv7 } from "uuid";

export interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

/** Returns what a caller sees who may change teams: all of them. */
export function viewOfAll({ organizationId, userId }: Actor): TeamViewer {
  return { organizationId, userId: userId ?? null, serviceIds: null };
}

/** @throws AppError `not_found` */
export function existingTeam<Found>(team: Found | null): Found {
  if (team !== null) return team;
  throw new AppError("not_found", "There is no team with this id.");
}

/** Records a change of a team. */
export async function recordOfTeam(
  tx: DatabaseTransactionConnection,
  event: {
    origin: AuditOrigin;
    of: { organizationId: string; team: TeamSummary };
    action:
      | "team.created"
      | "team.updated"
      | "team.deleted"
      | "team.member_added"
      | "team.member_removed"
      | "role.granted"
      | "role.revoked";
    details?: Record<string, string | number | readonly string[] | null>;
  },
): Promise<void> {
  const { origin, action, of } = event;
  const { id: teamId, slug, displayName: teamName } = of.team;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId: of.organizationId,
    apiKeyId: null,
    action,
    details: { teamId, slug, teamName, ...event.details },
  });
}
