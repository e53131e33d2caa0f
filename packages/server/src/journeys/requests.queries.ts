import { type DatabaseTransactionConnection, type SerializableValue, sql } from "slonik";
import { z } from "zod";
import { JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";

/** Identifies a changeset that may be repeated. */
export interface ChangesetRequestId {
  organizationId: string;
  /** The calling key. */
  createdBy: string;
  idempotencyKey: string;
}

/** Locks the request until the transaction ends. @returns false if another transaction is processing it */
export async function tryLockChangesetRequest(
  tx: DatabaseTransactionConnection,
  { organizationId, createdBy, idempotencyKey }: ChangesetRequestId,
): Promise<boolean> {
  const name = `journey_changeset_requests ${organizationId} ${createdBy} ${idempotencyKey}`;
  return tx.oneFirst(sql.type(z.object({ taken: z.boolean() }))`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS taken`);
}

const RequestRow = z.object({ request_hash: z.instanceof(Buffer), response: JourneyChangesetResult });

/** Finds the response that the request got within the last 24 hours. */
export async function findChangesetRequest(
  tx: DatabaseTransactionConnection,
  { organizationId, createdBy, idempotencyKey }: ChangesetRequestId,
): Promise<{ requestHash: Buffer; response: JourneyChangesetResult } | null> {
  const row = await tx.maybeOne(sql.type(RequestRow)`
    SELECT request_hash, response FROM journey_changeset_requests
    WHERE organization_id = ${organizationId} AND created_by = ${createdBy}
      AND idempotency_key = ${idempotencyKey} AND created_at > now() - interval '24 hours'`);
  return row === null ? null : { requestHash: row.request_hash, response: row.response };
}

/** Records the response. Deletes older records of this caller. */
export async function saveChangesetRequest(
  tx: DatabaseTransactionConnection,
  request: ChangesetRequestId & { requestHash: Buffer; response: JourneyChangesetResult },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM journey_changeset_requests
    WHERE organization_id = ${request.organizationId} AND created_by = ${request.createdBy}
      AND created_at <= now() - interval '24 hours'`);
  const response: SerializableValue = JSON.parse(JSON.stringify(request.response));
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_changeset_requests (organization_id, created_by, idempotency_key, request_hash, response)
    VALUES (${request.organizationId}, ${request.createdBy}, ${request.idempotencyKey},
            ${sql.binary(request.requestHash)}, ${sql.jsonb(response)})`);
}
