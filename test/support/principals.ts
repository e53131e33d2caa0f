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

/** Stores a user with a key, which has these scopes. */
export async function storeUser(
  database: Database,
  {
    displayName = "Ada",
    scopes = ["*"],
  }: { displayName?: string; scopes?: Parameters<typeof createKey>[1] } = {},
): Promise<StoredUser> {
  const id = randomUUID();
  await query(
    database,
    `INSERT INTO principals (organization_id, id, kind, display_name, email) VALUES ($1, $2, 'user', $3, $4)`,
    [database.organizationId, id, displayName, `${id}@example.com`],
  );
  return { id, rawKey: await createKey(database, scopes, { owner: id }) };
}
