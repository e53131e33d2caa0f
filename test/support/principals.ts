import { randomUUID } from "node:crypto";
import { createKey } from "./keys.ts";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";

type Database = Pick<Stack, "databaseUrl" | "organizationId">;

export interface StoredUser {
  id: string;
  /** A key of the user. */
  rawKey: string;
}

/** A role of a user or a team, for everything, for services by their names, or for those that a team owns. */
export interface StoredGrant {
  role: string;
  principalId?: string;
  teamId?: string;
  serviceNames?: readonly string[] | null;
  /** The id of a team. */
  ownedBy?: string | null;
}

/** Stores a role of a user or a team. @returns its id */
export async function storeRoleGrant(database: Database, grant: StoredGrant): Promise<string> {
  const { role, principalId = null, teamId = null, serviceNames = null, ownedBy = null } = grant;
  const id = randomUUID();
  await query(
    database,
    `INSERT INTO role_grants (organization_id, id, principal_id, team_id, role, service_names, owned_by_team_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [database.organizationId, id, principalId, teamId, role, serviceNames, ownedBy],
  );
  return id;
}

/** Stores a team. @returns its id */
export async function storeTeam(database: Database, slug = `t-${randomUUID()}`): Promise<string> {
  const id = randomUUID();
  await query(
    database,
    "INSERT INTO teams (organization_id, id, slug, display_name) VALUES ($1, $2, $3, $3)",
    [database.organizationId, id, slug],
  );
  return id;
}

/** Adds a user to a team. */
export async function storeTeamMember(
  database: Database,
  {
    teamId,
    principalId,
    identityProviderId = null,
  }: { teamId: string; principalId: string; identityProviderId?: string | null },
): Promise<void> {
  await query(
    database,
    "INSERT INTO team_members (organization_id, team_id, principal_id, identity_provider_id) VALUES ($1, $2, $3, $4)",
    [database.organizationId, teamId, principalId, identityProviderId],
  );
}

interface UserOptions {
  displayName?: string;
  /** The scopes of the user's key. */
  scopes?: Parameters<typeof createKey>[1];
  /** Roles for everything, or for services by their names. */
  roles?: readonly (string | { role: string; serviceNames: readonly string[] })[];
}

/** Stores a user with a key. */
export async function storeUser(
  database: Database,
  { displayName = "Ada", scopes = ["*"], roles = ["administrator"] }: UserOptions = {},
): Promise<StoredUser> {
  const id = randomUUID();
  await query(
    database,
    "INSERT INTO principals (organization_id, id, kind, display_name, email) VALUES ($1, $2, 'user', $3, $4)",
    [database.organizationId, id, displayName, `${id}@example.com`],
  );
  for (const each of roles) {
    const { role, serviceNames } = typeof each === "string" ? { role: each, serviceNames: null } : each;
    await storeRoleGrant(database, { principalId: id, role, serviceNames });
  }
  return { id, rawKey: await createKey(database, scopes, { owner: id }) };
}
