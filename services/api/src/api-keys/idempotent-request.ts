import { createHash } from "node:crypto";
import { revokeApiKeys } from "@waymark/shared/api-keys/revocation/queries.ts";
import {
  findKeyRequest,
  type KeyRequestId,
  tryLockKeyRequest,
} from "@waymark/shared/api-keys/requests/queries.ts";
import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";

/** Equal for requests that ask for the same key, however their JSON is written. */
export function hashKeyRequest(request: CreateApiKeyRequest): Buffer {
  // The contract's parser has put the fields in its own order.
  return createHash("sha256").update(JSON.stringify(request)).digest();
}

/**
 * The key that this very request has made before, null when it comes for the first time. Call it before any other lock.
 *
 * @throws AppError `request_in_progress`, or `idempotency_key_reused` when the key was for another request
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
 * Revokes the key that an earlier, equal request has made: its answer was lost, so nobody has it. ADR 10 says why.
 *
 * @throws AppError `api_key_in_use` when somebody has used it, `api_key_not_active` when somebody has ended it
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
  const useAnother = "For another key, send another Idempotency-Key.";
  if (earlier?.status !== "active" || earlier.disabledAt !== null) {
    const message = `The API key that this Idempotency-Key made has been ended since. ${useAnother}`;
    throw new AppError("api_key_not_active", message);
  }
  if (earlier.lastUsedAt !== null) {
    throw new AppError(
      "api_key_in_use",
      `The API key that this Idempotency-Key made (${earlier.id}) is in use, and can't be shown again. ${useAnother}`,
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
