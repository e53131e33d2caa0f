import { createHash } from "node:crypto";
import { revokeApiKeys } from "@waymark/server/api-keys/revocation/queries.ts";
import {
  findKeyRequest,
  type KeyRequestId,
  tryLockKeyRequest,
} from "@waymark/server/api-keys/requests.queries.ts";
import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";

/** The hash is equal for equal requests, whatever the format of their JSON. */
export function hashKeyRequest(
  request: CreateApiKeyRequest | { rotatedKeyId: string; graceSeconds: number },
): Buffer {
  // The schema's parser has normalized the order of fields.
  return createHash("sha256").update(JSON.stringify(request)).digest();
}

/**
 * Finds the key that the same request created before; null for a new request. Call it before taking any other lock.
 *
 * @throws AppError `request_in_progress`, or `idempotency_key_reused` if the idempotency key belongs to another request
 */
export async function findEarlierKey(
  tx: DatabaseTransactionConnection,
  { requestHash, ...address }: KeyRequestId & { requestHash: Buffer },
): Promise<string | null> {
  if (!(await tryLockKeyRequest(tx, address))) throw requestInProgress();
  const earlier = await findKeyRequest(tx, address);
  if (earlier === null) return null;
  if (earlier.requestHash.equals(requestHash)) return earlier.apiKeyId;
  throw new AppError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another key. Use a new one for each key.",
  );
}

/**
 * Revokes the key that an earlier, equal request created: its response was lost, so nobody has the key. See ADR 10.
 *
 * @throws AppError `api_key_in_use` if the key was used, `api_key_not_active` if it was revoked or has expired
 */
export async function replaceEarlierKey(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    earlier: ApiKey | undefined;
    successorId: string;
    origin: AuditOrigin;
  },
): Promise<void> {
  const { organizationId, earlier, successorId, origin } = options;
  const useAnother = "To create another key, send a new Idempotency-Key.";
  // The successor of a rotated key would stay beside the new key.
  if (earlier?.status !== "active" || earlier.disabledAt !== null || earlier.replacedBy !== null) {
    const message = `The API key created with this Idempotency-Key is no longer active. ${useAnother}`;
    throw new AppError("api_key_not_active", message);
  }
  if (earlier.lastUsedAt !== null) {
    throw new AppError(
      "api_key_in_use",
      `The API key created with this Idempotency-Key (${earlier.id}) is in use and can't be shown again. ${useAnother}`,
    );
  }
  await revokeApiKeys(tx, { organizationId, apiKeyIds: [earlier.id] });
  await insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId,
    apiKeyId: earlier.id,
    action: "api_key.revoked",
    details: { successorId },
    ...origin,
  });
}
