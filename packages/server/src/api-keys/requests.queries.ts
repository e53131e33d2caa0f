import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

/** Identifies a request to create a key. */
export interface KeyRequestId {
  organizationId: string;
  /** The calling key. */
  createdBy: string;
  idempotencyKey: string;
}

/** Locks the request until the transaction ends. @returns false if another transaction is processing it */
export async function tryLockKeyRequest(
  tx: DatabaseTransactionConnection,
  { organizationId, createdBy, idempotencyKey }: KeyRequestId,
): Promise<boolean> {
  const name = `api_key_requests ${organizationId} ${createdBy} ${idempotencyKey}`;
  return tx.oneFirst(sql.type(z.object({ taken: z.boolean() }))`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS taken`);
}

const KeyRequestRow = z.object({ request_hash: z.instanceof(Buffer), api_key_id: z.string() });

/** Finds the key that the request created within the last 24 hours. Deletes older records of this caller. */
export async function findKeyRequest(
  tx: DatabaseTransactionConnection,
  { organizationId, createdBy, idempotencyKey }: KeyRequestId,
): Promise<{ requestHash: Buffer; apiKeyId: string } | null> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM api_key_requests
    WHERE organization_id = ${organizationId} AND created_by = ${createdBy}
      AND created_at <= now() - interval '24 hours'`);
  const row = await tx.maybeOne(sql.type(KeyRequestRow)`
    SELECT request_hash, api_key_id FROM api_key_requests
    WHERE organization_id = ${organizationId} AND created_by = ${createdBy}
      AND idempotency_key = ${idempotencyKey}`);
  return row === null ? null : { requestHash: row.request_hash, apiKeyId: row.api_key_id };
}

/** Records the key that the request created. The 24 hours count from the first key. */
export async function saveKeyRequest(
  tx: DatabaseTransactionConnection,
  request: KeyRequestId & { requestHash: Buffer; apiKeyId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO api_key_requests (organization_id, created_by, idempotency_key, request_hash, api_key_id)
    VALUES (${request.organizationId}, ${request.createdBy}, ${request.idempotencyKey},
            ${sql.binary(request.requestHash)}, ${request.apiKeyId})
    ON CONFLICT (organization_id, created_by, idempotency_key) DO UPDATE SET api_key_id = excluded.api_key_id`);
}
