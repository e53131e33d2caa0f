import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { TeamMember } from "@waymark/shared/principals/teams/schema.ts";
import type { TeamRef } from "./teams.queries.ts";

const Nothing = z.object({});

type MemberRef = TeamRef & { principalId: string };

const SELECT_MEMBERS = sql.fragment`
  SELECT p.id AS "principalId", p.display_name AS "displayName", p.email, p.disabled_at AS "disabledAt",
         CASE WHEN m.identity_provider_id IS NULL THEN 'manual' ELSE 'provider' END AS source,
         m.created_at AS "createdAt", m.created_by AS "createdBy"
  FROM team_members m
  JOIN principals p ON p.organization_id = m.organization_id AND p.id = m.principal_id`;

/** Lists the members of a team by their ids: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listTeamMembers(
  tx: DatabaseTransactionConnection,
  options: TeamRef & { limit: number; afterId: string | null },
): Promise<readonly TeamMember[]> {
  const { organizationId, teamId, limit, afterId } = options;
  return tx.any(sql.type(TeamMember)`
    ${SELECT_MEMBERS}
    WHERE m.organization_id = ${organizationId} AND m.team_id = ${teamId}
      AND (${afterId}::uuid IS NULL OR m.principal_id > ${afterId}::uuid)
    ORDER BY m.principal_id
    LIMIT ${limit + 1}`);
}

export async function findTeamMember(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, principalId }: MemberRef,
): Promise<TeamMember | null> {
  return tx.maybeOne(sql.type(TeamMember)`
    ${SELECT_MEMBERS}
    WHERE m.organization_id = ${organizationId} AND m.team_id = ${teamId} AND m.principal_id = ${principalId}`);
}

/** Counts the members of a team, and the teams of a user. */
export async function countMemberships(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, principalId }: MemberRef,
): Promise<{ ofTeam: number; ofUser: number }> {
  return tx.one(sql.type(z.object({ ofTeam: z.number(), ofUser: z.number() }))`
    SELECT
      (SELECT count(*)::int FROM team_members WHERE organization_id = ${organizationId} AND team_id = ${teamId}) AS "ofTeam",
      (SELECT count(*)::int FROM team_members
       WHERE organization_id = ${organizationId} AND principal_id = ${principalId}) AS "ofUser"`);
}

/** Adds a user to a team by hand. A member whom the identity provider added is one by hand then. */
export async function addTeamMember(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, principalId, createdBy }: MemberRef & { createdBy: string | null },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    INSERT INTO team_members (organization_id, team_id, principal_id, created_by)
    VALUES (${organizationId}, ${teamId}, ${principalId}, ${createdBy})
    ON CONFLICT (organization_id, team_id, principal_id)
    DO UPDATE SET identity_provider_id = NULL, created_by = excluded.created_by
    WHERE team_members.identity_provider_id IS NOT NULL`);
}

/** Adds a user to a team by a group of an identity provider. Who is a member already stays as it is. */
export async function addProvidersMember(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, principalId, identityProviderId }: MemberRef & { identityProviderId: string },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    INSERT INTO team_members (organization_id, team_id, principal_id, identity_provider_id)
    VALUES (${organizationId}, ${teamId}, ${principalId}, ${identityProviderId})
    ON CONFLICT (organization_id, team_id, principal_id) DO NOTHING`);
}

const Membership = z.object({
  teamId: z.string(),
  slug: z.string(),
  teamName: z.string(),
  isOfProvider: z.boolean(),
});
export type Membership = z.infer<typeof Membership>;

/** Lists the teams of a user, and which of them a group of the identity provider gave. */
export async function listMemberships(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    principalId,
    identityProviderId,
  }: { organizationId: string; principalId: string; identityProviderId: string },
): Promise<readonly Membership[]> {
  return tx.any(sql.type(Membership)`
    SELECT t.id AS "teamId", t.slug, t.display_name AS "teamName",
           m.identity_provider_id IS NOT DISTINCT FROM ${identityProviderId}::uuid AS "isOfProvider"
    FROM team_members m
    JOIN teams t ON t.organization_id = m.organization_id AND t.id = m.team_id
    WHERE m.organization_id = ${organizationId} AND m.principal_id = ${principalId}
    ORDER BY t.id`);
}

export async function removeTeamMember(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, principalId }: MemberRef,
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    DELETE FROM team_members
    WHERE organization_id = ${organizationId} AND team_id = ${teamId} AND principal_id = ${principalId}`);
}
