import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findCrowdedServices } from "@waymark/server/scans/finding-assignments/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";

/**
 * @param services.list the list of the request that has the services, if it has one: the error names the place of the first that is full
 * @throws AppError `limit_reached` if one of the services has too many assignments
 */
export async function assertRoom(
  tx: DatabaseTransactionConnection,
  services: { organizationId: string; serviceIds: readonly string[]; list?: string },
): Promise<void> {
  const max = FINDING_COMMENT_LIMITS.perServiceMax;
  const wanted = services.serviceIds.map((id) => id.toLowerCase());
  const { organizationId, list } = services;
  const crowded = await findCrowdedServices(tx, { organizationId, serviceIds: [...new Set(wanted)], max });
  if (crowded.length === 0) return;
  const place = wanted.findIndex((id) => crowded.includes(id));
  const whose = list === undefined ? "" : ` of the service with the id of ${list}[${place}].serviceId`;
  throw new AppError(
    "limit_reached",
    `A service has at most ${max.toLocaleString("en")} assigned findings. End some of the assignments${whose}.`,
  );
}
