import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { HeldRole } from "@waymark/shared/api-keys/roles/held-role.ts";
import { RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { Team } from "@waymark/shared/principals/teams/schema.ts";
import { isAmong } from "../db/is-among.ts";

const Nothing = z.object({});

export interface TeamRef {
  organizationId: string;
  teamId: string;
}

/** The part of an organization that a caller sees. */
export interface TeamViewer {
  organizationId: string;
  /** The user of the calling key. */
  userId: string | null;
  /** The services that the caller may read; null for all. */
  serviceIds: readonly string[] | null;
}

const COLUMNS = ({ userId, serviceIds }: TeamViewer) => sql.fragment`
  t.id, t.slug, t.display_name AS "displayName", t.handles, t.created_at AS "createdAt", t.created_by AS "createdBy",
  (SELECT count(*)::int FROM team_members m
   WHERE m.organization_id = t.organization_id AND m.team_id = t.id) AS "memberCount",
  (SELECT count(*)::int FROM services s
   WHERE s.organization_id = t.organization_id AND s.owner_team_id = t.id AND ${isAmong(sql.fragment`s.id`, serviceIds)})
    AS "serviceCount",
  EXISTS (SELECT FROM team_members m
   WHERE m.organization_id = t.organization_id AND m.team_id = t.id AND m.principal_id = ${userId}::uuid) AS "isMember"`;

const isVisible = ({ userId, serviceIds }: TeamViewer) =>
  serviceIds === null
    ? sql.fragment`true`
    : sql.fragment`(
        EXISTS (SELECT FROM services s
          WHERE s.organization_id = t.organization_id AND s.owner_team_id = t.id AND ${isAmong(sql.fragment`s.id`, serviceIds)})
        OR EXISTS (SELECT FROM team_members m
          WHERE m.organization_id = t.organization_id AND m.team_id = t.id AND m.principal_id = ${userId}::uuid))`;

/** Lists the teams that a caller sees, by slug. */
export async function listTeams(
  tx: DatabaseTransactionConnection,
  viewer: TeamViewer,
): Promise<readonly Team[]> {
  return tx.any(sql.type(Team)`
    SELECT ${COLUMNS(viewer)} FROM teams t
    WHERE t.organization_id = ${viewer.organizationId} AND ${isVisible(viewer)}
    ORDER BY t.slug COLLATE "C"`);
}

/** Finds a team that a caller sees. */
export async function findTeam(
  tx: DatabaseTransactionConnection,
  { teamId, ...viewer }: TeamViewer & { teamId: string },
): Promise<Team | null> {
  return tx.maybeOne(sql.type(Team)`
    SELECT ${COLUMNS(viewer)} FROM teams t
    WHERE t.organization_id = ${viewer.organizationId} AND t.id = ${teamId} AND ${isVisible(viewer)}`);
}

/** Finds a team that a caller sees by its slug. */
export async function findTeamBySlug(
  tx: DatabaseTransactionConnection,
  { slug, ...viewer }: TeamViewer & { slug: string },
): Promise<TeamSummary | null> {
  return tx.maybeOne(sql.type(TeamSummary)`
    SELECT t.id, t.slug, t.display_name AS "displayName" FROM teams t
    WHERE t.organization_id = ${viewer.organizationId} AND t.slug = ${slug} AND ${isVisible(viewer)}`);
}

/** Finds a team by its slug, or by one of its handles. */
export async function findTeamByName(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<TeamSummary | null> {
  const isNamed = name.startsWith("@")
    ? sql.fragment`${name.toLowerCase()} = ANY(handles)`
    : sql.fragment`slug = ${name}`;
  return tx.maybeOne(sql.type(TeamSummary)`
    SELECT id, slug, display_name AS "displayName" FROM teams WHERE organization_id = ${organizationId} AND ${isNamed}`);
}

/** True if another team has the slug, or one of the handles. */
export async function isTeamNameTaken(
  tx: DatabaseTransactionConnection,
  options: TeamRef & { slug: string; handles: readonly string[] },
): Promise<boolean> {
  const { organizationId, teamId, slug, handles } = options;
  return tx.exists(sql.type(Nothing)`
    SELECT FROM teams
    WHERE organization_id = ${organizationId} AND id <> ${teamId}
      AND (slug = ${slug} OR handles && ${sql.array([...handles], "text")})`);
}

export async function countTeams(tx: DatabaseTransactionConnection, organizationId: string): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM teams WHERE organization_id = ${organizationId}`);
}

interface TeamNames {
  slug: string;
  displayName: string;
  handles: readonly string[];
}

export async function insertTeam(
  tx: DatabaseTransactionConnection,
  team: TeamRef & TeamNames & { createdBy: string | null },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    INSERT INTO teams (organization_id, id, slug, display_name, handles, created_by)
    VALUES (${team.organizationId}, ${team.teamId}, ${team.slug}, ${team.displayName}, ${sql.array([...team.handles], "text")},
            ${team.createdBy})`);
}

export async function updateTeam(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, slug, displayName, handles }: TeamRef & TeamNames,
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    UPDATE teams SET slug = ${slug}, display_name = ${displayName}, handles = ${sql.array([...handles], "text")}
    WHERE organization_id = ${organizationId} AND id = ${teamId}`);
}

/** Deletes a team with its members and roles. Its services then have no owner. */
export async function deleteTeam(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId }: TeamRef,
): Promise<void> {
  await tx.query(
    sql.type(Nothing)`DELETE FROM teams WHERE organization_id = ${organizationId} AND id = ${teamId}`,
  );
}

/** Lists the roles of a team. */
export async function listTeamRoleGrants(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId }: TeamRef,
): Promise<readonly RoleGrant[]> {
  return tx.any(sql.type(RoleGrant)`
    SELECT g.id, g.role, g.service_names AS "serviceNames", o.slug AS "ownedBy", g.created_at AS "createdAt",
           g.created_by AS "createdBy", g.identity_provider_id AS "identityProviderId"
    FROM role_grants g
    LEFT JOIN teams o ON o.organization_id = g.organization_id AND o.id = g.owned_by_team_id
    WHERE g.organization_id = ${organizationId} AND g.team_id = ${teamId}
    ORDER BY g.id`);
}

/** Lists the roles that the members of a team have by it. */
export async function listRolesOfTeam(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId }: TeamRef,
): Promise<readonly HeldRole[]> {
  return listRoles(tx, sql.fragment`g.organization_id = ${organizationId} AND g.team_id = ${teamId}`);
}

/** Lists the roles, of any users and teams, that are for what a team owns. */
export async function listRolesForOwned(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId }: TeamRef,
): Promise<readonly HeldRole[]> {
  return listRoles(
    tx,
    sql.fragment`g.organization_id = ${organizationId} AND g.owned_by_team_id = ${teamId}`,
  );
}

/** Lists roles without the services that they are for by an owner: whoever hands them on or takes them needs them for everything. */
async function listRoles(
  tx: DatabaseTransactionConnection,
  isListed: ReturnType<typeof sql.fragment>,
): Promise<readonly HeldRole[]> {
  return tx.any(sql.type(HeldRole)`
    SELECT DISTINCT g.role, r.permissions, g.service_names AS "serviceNames", NULL::text[] AS "serviceIds"
    FROM role_grants g
    LEFT JOIN roles r ON r.organization_id = g.organization_id AND r.name = g.role
    WHERE ${isListed}`);
}
