import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import { HeldRole } from "@waymark/shared/api-keys/roles/held-role.ts";
import { RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import type { PrincipalRef } from "./queries.ts";

const Nothing = z.object({});

interface RoleRef {
  organizationId: string;
  name: string;
}

const OwnRole = z.object({ name: z.string(), permissions: z.array(z.string()) });
export type OwnRole = z.infer<typeof OwnRole>;

/** Lists the roles of an organization's own, by name. */
export async function listOwnRoles(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<readonly OwnRole[]> {
  return tx.any(sql.type(OwnRole)`
    SELECT name, permissions FROM roles WHERE organization_id = ${organizationId} ORDER BY name COLLATE "C"`);
}

/** Finds the permissions of a role of an organization's own. */
export async function findOwnRole(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: RoleRef,
): Promise<readonly string[] | null> {
  return tx.maybeOneFirst(sql.type(OwnRole.pick({ permissions: true }))`
    SELECT permissions FROM roles WHERE organization_id = ${organizationId} AND name = ${name}`);
}

/** Stores a role, or replaces its permissions. */
export async function setOwnRole(
  tx: DatabaseTransactionConnection,
  { organizationId, name, permissions }: RoleRef & { permissions: readonly string[] },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    INSERT INTO roles (organization_id, name, permissions)
    VALUES (${organizationId}, ${name}, ${sql.array([...permissions], "text")})
    ON CONFLICT (organization_id, name) DO UPDATE SET permissions = excluded.permissions, updated_at = now()`);
}

export async function deleteOwnRole(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: RoleRef,
): Promise<void> {
  await tx.query(
    sql.type(Nothing)`DELETE FROM roles WHERE organization_id = ${organizationId} AND name = ${name}`,
  );
}

/** True if somebody has the role. */
export async function isRoleGranted(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: RoleRef,
): Promise<boolean> {
  return tx.exists(
    sql.type(Nothing)`SELECT FROM role_grants WHERE organization_id = ${organizationId} AND role = ${name}`,
  );
}

export async function insertRoleGrant(
  tx: DatabaseTransactionConnection,
  grant: PrincipalRef & {
    id: string;
    role: string;
    serviceNames: readonly string[] | null;
    /** Null for the operator. */
    createdBy: string | null;
  },
): Promise<RoleGrant> {
  const names = grant.serviceNames === null ? null : sql.array([...grant.serviceNames], "text");
  return tx.one(sql.type(RoleGrant)`
    INSERT INTO role_grants (organization_id, id, principal_id, role, service_names, created_by)
    VALUES (${grant.organizationId}, ${grant.id}, ${grant.principalId}, ${grant.role}, ${names}, ${grant.createdBy})
    RETURNING id, role, service_names AS "serviceNames", created_at AS "createdAt", created_by AS "createdBy"`);
}

export async function deleteRoleGrant(
  tx: DatabaseTransactionConnection,
  { organizationId, roleGrantId }: { organizationId: string; roleGrantId: string },
): Promise<void> {
  await tx.query(
    sql.type(
      Nothing,
    )`DELETE FROM role_grants WHERE organization_id = ${organizationId} AND id = ${roleGrantId}`,
  );
}

/** Lists the roles that a user has, as `find_api_key` returns them. */
export async function listHeldRoles(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId }: PrincipalRef,
): Promise<readonly HeldRole[]> {
  return tx.any(sql.type(HeldRole)`
    SELECT g.role, r.permissions, g.service_names AS "serviceNames"
    FROM role_grants g
    LEFT JOIN roles r ON r.organization_id = g.organization_id AND r.name = g.role
    WHERE g.organization_id = ${organizationId} AND g.principal_id = ${principalId}`);
}

const UNLIMITED = [...BUILT_IN_ROLES].flatMap(([name, permissions]) =>
  permissions.includes(EVERY_PERMISSION) ? [name] : [],
);

/** True if an active user may do everything. */
export async function hasAdministrator(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<boolean> {
  return tx.exists(sql.type(Nothing)`
    SELECT FROM role_grants g
    JOIN principals p ON p.organization_id = g.organization_id AND p.id = g.principal_id
    LEFT JOIN roles r ON r.organization_id = g.organization_id AND r.name = g.role
    WHERE g.organization_id = ${organizationId} AND g.service_names IS NULL AND p.disabled_at IS NULL
      AND (g.role = ANY(${sql.array(UNLIMITED, "text")}) OR ${EVERY_PERMISSION} = ANY(r.permissions))`);
}
