import type { AuditOrigin } from "@waymark/server/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import {
  addProvidersMember,
  countMemberships,
  listMemberships,
  removeTeamMember,
} from "@waymark/server/principals/team-members.queries.ts";
import { findTeamByName } from "@waymark/server/principals/teams.queries.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import { unlessLastAdministrator } from "../administrators.ts";
import { recordOfTeam } from "../teams/team.ts";

interface Sync {
  provider: StoredProvider;
  user: { id: string; displayName: string };
  groups: readonly string[];
  origin: AuditOrigin;
}

/**
 * Makes a user a member of the teams of the provider's groups, and of no other that they gave. Members by hand stay, and the last
 * administrator stays in the team that makes one. Call it under the exclusive lock of the organization's keys.
 *
 * @returns the slugs of the teams that the user did not get into, because they have as many members as they may, or the user as many teams
 */
export async function syncTeams(tx: DatabaseTransactionConnection, sync: Sync): Promise<string[]> {
  const { provider, user, groups } = sync;
  const { organizationId, id: identityProviderId } = provider;
  const of = { organizationId, principalId: user.id };
  const held = await listMemberships(tx, { ...of, identityProviderId });
  const wanted = await wantedTeams(tx, provider, groups);
  const left = held.filter((one) => one.isOfProvider && !wanted.some(({ id }) => id === one.teamId));
  for (const { teamId, slug, teamName } of left) {
    const remove = (inner: DatabaseTransactionConnection) => removeTeamMember(inner, { ...of, teamId });
    if (!(await unlessLastAdministrator(tx, organizationId, remove))) continue;
    await record(tx, sync, {
      action: "team.member_removed",
      team: { id: teamId, slug, displayName: teamName },
    });
  }
  const joined = wanted.filter(({ id }) => !held.some(({ teamId }) => teamId === id));
  const refused: string[] = [];
  for (const team of joined) {
    const { ofTeam, ofUser } = await countMemberships(tx, { ...of, teamId: team.id });
    if (ofTeam >= TEAM_LIMITS.membersPerTeamMax || ofUser >= TEAM_LIMITS.teamsPerUserMax) {
      refused.push(team.slug);
      continue;
    }
    await addProvidersMember(tx, { ...of, teamId: team.id, identityProviderId });
    await record(tx, sync, { action: "team.member_added", team });
  }
  return refused;
}

/** Finds the teams of these groups, each once. Those that were deleted since the provider was set up are none. */
async function wantedTeams(
  tx: DatabaseTransactionConnection,
  { organizationId, teams }: StoredProvider,
  groups: readonly string[],
): Promise<TeamSummary[]> {
  const slugs = new Set(teams.flatMap(({ group, team }) => (groups.includes(group) ? [team] : [])));
  const found: TeamSummary[] = [];
  for (const name of slugs) {
    const team = await findTeamByName(tx, { organizationId, name });
    if (team !== null) found.push(team);
  }
  return found;
}

async function record(
  tx: DatabaseTransactionConnection,
  { provider, user, origin }: Sync,
  { action, team }: { action: "team.member_added" | "team.member_removed"; team: TeamSummary },
): Promise<void> {
  const { organizationId, id: identityProviderId } = provider;
  const details = { principalId: user.id, displayName: user.displayName, identityProviderId };
  await recordOfTeam(tx, { origin, of: { organizationId, team }, action, details });
}
