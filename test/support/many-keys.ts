import { randomUUID } from "node:crypto";
import { generateApiKey } from "@waymark/server/api-keys/key-format.ts";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";

/** Inserts many keys without permissions into the database, in one statement. */
export async function createManyKeys(
  stack: Pick<Stack, "databaseUrl" | "organizationId">,
  count: number,
): Promise<{ id: string; rawKey: string }[]> {
  const keys = Array.from({ length: count }, () => ({ id: randomUUID(), ...generateApiKey() }));
  await query(
    stack,
    `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_type, scopes)
     SELECT $1, id, 'one of many', prefix, secret_hash, 'service_account', '[]'
     FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS k (id, prefix, secret_hash)`,
    [
      stack.organizationId,
      keys.map((key) => key.id),
      keys.map((key) => key.prefix),
      keys.map((key) => key.secretHash),
    ],
  );
  return keys.map(({ id, rawKey }) => ({ id, rawKey }));
}
