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
    await query(
      database,
      `INSERT INTO role_grants (organization_id, id, principal_id, role, service_names) VALUES ($1, $2, $3, $4, $5)`,
      [database.organizationId, randomUUID(), id, role, serviceNames],
    );
  }
  return { id, rawKey: await createKey(database, scopes, { owner: id }) };
}
