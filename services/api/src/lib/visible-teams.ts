import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { TeamViewer } from "@waymark/server/principals/teams.queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { visibleServices } from "./visible-services.ts";

/**
 * Returns what a caller sees who may read services: the teams of these services, and those of its user.
 *
 * @throws AppError `permission_denied` without `services:read`
 */
export async function visibleTeams(tx: DatabaseTransactionConnection, actor: Actor): Promise<TeamViewer> {
  const { organizationId, userId = null } = actor;
  return { organizationId, userId, serviceIds: await visibleServices(tx, actor, "services:read") };
}
