import type { DatabaseTransactionConnection } from "../db/pool.ts";
import { generateApiKey } from "./key-format.ts";
import { findApiKey, insertApiKey, type NewApiKey } from "./queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** Creates and stores a key. Only the returned value has the raw key. */
export async function createKey(
  tx: DatabaseTransactionConnection,
  options: Omit<NewApiKey, "prefix" | "secretHash">,
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { rawKey, prefix, secretHash } = generateApiKey();
  await insertApiKey(tx, { ...options, prefix, secretHash });
  const apiKey = await findApiKey(tx, { organizationId: options.organizationId, apiKeyId: options.id });
  if (apiKey === null) throw new Error("a key that was stored in this transaction is readable in it");
  return { apiKey, rawKey };
}
