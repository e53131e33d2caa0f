import { createKey } from "./keys.ts";
import { query } from "./sql.ts";
import type { Organization, Stack } from "./stack.ts";

export interface StoredKey {
  id: string;
  rawKey: string;
}

/** Like `createKey`, with the key's id, in any organization. */
export async function storeKey(
  stack: Pick<Stack, "databaseUrl">,
  { organizationId }: Pick<Organization, "organizationId">,
  ...[scopes, options]: Parameters<typeof createKey> extends [unknown, ...infer Rest] ? Rest : never
): Promise<StoredKey> {
  const rawKey = await createKey({ databaseUrl: stack.databaseUrl, organizationId }, scopes, options);
  return { id: await idOf(stack, rawKey), rawKey };
}

/** The id of a raw key. */
export async function idOf(stack: Pick<Stack, "databaseUrl">, rawKey: string): Promise<string> {
  const [row] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE prefix = $1", [
    rawKey.slice(0, 16),
  ]);
  if (row === undefined) throw new Error("this key is not stored");
  return row.id;
}
