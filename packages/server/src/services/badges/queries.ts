import type { Pool } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { ServiceBadge } from "@waymark/shared/services/badges/schema.ts";

interface BadgeRef {
  organizationId: string;
  serviceId: string;
}

const FoundBadge = z.object({ badge_organization_id: z.string(), badge_service_id: z.string() });

/** Finds the service with this badge token in any organization, with one indexed query. */
export async function findBadgeByToken(pool: Pool, tokenHash: Buffer): Promise<BadgeRef | undefined> {
  const { rows } = await pool.query({
    name: "find_service_badge",
    text: "SELECT badge_organization_id, badge_service_id FROM find_service_badge($1)",
    values: [tokenHash],
  });
  if (rows[0] === undefined) return undefined;
  const found = FoundBadge.parse(rows[0]);
  return { organizationId: found.badge_organization_id, serviceId: found.badge_service_id };
}

const BadgeRow = z.object({ created_at: z.string(), created_by_key_id: z.string() });

export async function findServiceBadge(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: BadgeRef,
): Promise<ServiceBadge["badge"]> {
  const row = await tx.maybeOne(sql.type(BadgeRow)`
    SELECT created_at, created_by_key_id FROM service_badges
    WHERE organization_id = ${organizationId} AND service_id = ${serviceId}`);
  return row === null ? null : { createdAt: row.created_at, createdByKeyId: row.created_by_key_id };
}

/** Stores a service's badge. An earlier one's token stops working. */
export async function replaceServiceBadge(
  tx: DatabaseTransactionConnection,
  badge: BadgeRef & { tokenHash: Buffer; createdByKeyId: string },
): Promise<NonNullable<ServiceBadge["badge"]>> {
  const row = await tx.one(sql.type(BadgeRow)`
    INSERT INTO service_badges (organization_id, service_id, token_hash, created_by_key_id)
    VALUES (${badge.organizationId}, ${badge.serviceId}, ${sql.binary(badge.tokenHash)}, ${badge.createdByKeyId})
    ON CONFLICT (organization_id, service_id) DO UPDATE
    SET token_hash = excluded.token_hash, created_by_key_id = excluded.created_by_key_id, created_at = now()
    RETURNING created_at, created_by_key_id`);
  return { createdAt: row.created_at, createdByKeyId: row.created_by_key_id };
}

/** @returns whether there was one */
export async function deleteServiceBadge(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: BadgeRef,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    DELETE FROM service_badges WHERE organization_id = ${organizationId} AND service_id = ${serviceId}`);
  return rowCount > 0;
}
