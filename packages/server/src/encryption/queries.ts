import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const DataKeyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  wrapped_key: z.instanceof(Buffer),
  nonce: z.instanceof(Buffer),
  kek_id: z.string(),
});
export type DataKeyRow = z.infer<typeof DataKeyRow>;

const COLUMNS = sql.fragment`organization_id, id, wrapped_key, nonce, kek_id`;

/** Keeps two transactions from making a data key for an organization each. */
export async function lockDataKeys(tx: DatabaseTransactionConnection, organizationId: string): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.string() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${`data_keys ${organizationId}`}, 0))::text AS locked`);
}

export async function insertDataKey(tx: DatabaseTransactionConnection, key: DataKeyRow): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO data_keys (organization_id, id, wrapped_key, nonce, kek_id)
    VALUES (${key.organization_id}, ${key.id}, ${sql.binary(key.wrapped_key)}, ${sql.binary(key.nonce)}, ${key.kek_id})`);
}

export async function findNewestDataKey(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<DataKeyRow | null> {
  return tx.maybeOne(sql.type(DataKeyRow)`
    SELECT ${COLUMNS} FROM data_keys WHERE organization_id = ${organizationId} ORDER BY id DESC LIMIT 1`);
}

export async function findDataKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<readonly DataKeyRow[]> {
  return tx.any(sql.type(DataKeyRow)`
    SELECT ${COLUMNS} FROM data_keys
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...ids], "uuid")})`);
}

/** A place in the order of all data keys. */
export interface DataKeyPosition {
  organizationId: string;
  id: string;
}

/** Locks the next data keys of all organizations that are wrapped with another key than `kekId`. For the operator. */
export async function lockDataKeysOfOthers(
  tx: DatabaseTransactionConnection,
  { kekId, after, limit }: { kekId: string; after: DataKeyPosition; limit: number },
): Promise<readonly DataKeyRow[]> {
  return tx.any(sql.type(DataKeyRow)`
    SELECT ${COLUMNS} FROM data_keys
    WHERE (organization_id, id) > (${after.organizationId}, ${after.id}) AND kek_id <> ${kekId}
    ORDER BY organization_id, id LIMIT ${limit} FOR UPDATE`);
}

export async function updateWrappedKey(tx: DatabaseTransactionConnection, key: DataKeyRow): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE data_keys
    SET wrapped_key = ${sql.binary(key.wrapped_key)}, nonce = ${sql.binary(key.nonce)}, kek_id = ${key.kek_id}, wrapped_at = now()
    WHERE organization_id = ${key.organization_id} AND id = ${key.id}`);
}

/** The ids of configured keys that data keys are wrapped with. For the operator. */
export async function listUsedKeyIds(db: CommonQueryMethods): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ kek_id: z.string() }))`
    SELECT DISTINCT kek_id FROM data_keys ORDER BY kek_id`);
}
