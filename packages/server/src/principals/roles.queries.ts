import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import { HeldRole } from "@waymark/shared/api-keys/roles/held-role.ts";
import { RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import type { PrincipalRef } from "./queries.ts";

const Nothing = z.object({});

/** A user or a team, which has a role. */
export type RoleHolder =
  | { principalId: string; teamId?: undefined }
  | { teamId: string; principalId?: undefined };

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

/** True if a user or a team has the role. */
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
  grant: {
    organizationId: string;
    id: string;
    /** The user or the team that gets the role. */
    holder: RoleHolder;
    role: string;
    serviceNames: readonly string[] | null;
    /** The team whose services it is for. */
    ownedBy: TeamSummary | null;
    /** Null for the operator, and for an identity provider. */
    createdBy: string | null;
    identityProviderId?: string;
  },
): Promise<RoleGrant> {
  const names = grant.serviceNames === null ? null : sql.array([...grant.serviceNames], "text");
  const { principalId = null, teamId = null } = grant.holder;
  const { ownedBy } = grant;
  return tx.one(sql.type(RoleGrant)`
    INSERT INTO role_grants (organization_id, id, principal_id, team_id, role, service_names, owned_by_team_id, created_by,
                             identity_provider_id)
    VALUES (${grant.organizationId}, ${grant.id}, ${principalId}, ${teamId}, ${grant.role}, ${names}, ${ownedBy?.id ?? null},
            ${grant.createdBy}, ${grant.identityProviderId ?? null})
    RETURNING id, role, service_names AS "serviceNames", ${ownedBy?.slug ?? null}::text AS "ownedBy", created_at AS "createdAt",
              created_by AS "createdBy", identity_provider_id AS "identityProviderId"`);
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

/** Lists the roles that a user has, also by teams, as `find_api_key` returns them. */
export async function listHeldRoles(
  tx: DatabaseTransactionConnection,
  { organizationId, principalId }: PrincipalRef,
): Promise<readonly HeldRole[]> {
  return tx.any(sql.type(HeldRole)`
    SELECT role, permissions, service_names AS "serviceNames", service_ids AS "serviceIds"
    FROM held_roles(${organizationId}, ${principalId})`);
}

const UNLIMITED = [...BUILT_IN_ROLES].flatMap(([name, permissions]) =>
  permissions.includes(EVERY_PERMISSION) ? [name] : [],
);

/** True if an active user may do everything, by an own role or one of a team. */
export async function hasAdministrator(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<boolean> {
  return tx.exists(sql.type(Nothing)`
    SELECT FROM role_grants g
    LEFT JOIN team_members m ON m.organization_id = g.organization_id AND m.team_id = g.team_id
    JOIN principals p ON p.organization_id = g.organization_id AND p.id = coalesce(g.principal_id, m.principal_id)
    LEFT JOIN roles r ON r.organization_id = g.organization_id AND r.name = g.role
    WHERE g.organization_id = ${organizationId} AND g.service_names IS NULL AND g.owned_by_team_id IS NULL AND p.disabled_at IS NULL
      AND (g.role = ANY(${sql.array(UNLIMITED, "text")}) OR ${EVERY_PERMISSION} = ANY(r.permissions))`);
}
