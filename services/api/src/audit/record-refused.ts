import { insertAuditEvent, insertDeniedUse } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import type { AppError, ErrorCode } from "@waymark/shared/errors/app-error.ts";
import { redactApiKeys } from "@waymark/shared/lib/redact-api-keys.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";

const DENIALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "api_key_expired",
  "api_key_revoked",
  "api_key_disabled",
  "principal_disabled",
  "network_not_allowed",
  "permission_denied",
  "organization_mismatch",
  // An uploaded result that was not stored.
  "result_mismatch",
  "result_conflict",
]);
const MINUTE_MS = 60_000;
const REMEMBERED_MAX = 10_000;
const MESSAGE_MAX = 500;

interface Refusal {
  /** Refusals with the same text are recorded once a minute. */
  same: string;
  insert: (tx: DatabaseTransactionConnection) => Promise<void>;
}

/**
 * Records refused requests of known keys: one row per key, route, code and minute, another one for console sessions of the
 * key, and for limits one row per limit, its owner and minute. Requests without a valid secret are not recorded, so nobody can
 * fill the disk. A failure to write the record never changes the response.
 */
export function createRefusalRecorder(
  db: DatabasePool,
): (request: FastifyRequest, error: AppError) => Promise<void> {
  // The database enforces the same rule; this only saves it the repetitions.
  const recorded = new Map<string, number>();

  return async (request, error) => {
    const key = request.identifiedKey;
    if (key === null) return;
    const refusal = DENIALS.has(error.code) ? deniedUse(request, key, error) : exceeded(request, key, error);
    if (refusal === undefined) return;
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (recorded.get(refusal.same) === minute) return;
    if (recorded.size >= REMEMBERED_MAX) recorded.clear();
    recorded.set(refusal.same, minute);
    try {
      await withOrganization(db, key.organizationId, refusal.insert);
    } catch (failure) {
      recorded.delete(refusal.same);
      request.log.error({ err: failure }, "a refusal could not be recorded");
    }
  };
}

function deniedUse(request: FastifyRequest, key: IdentifiedKey, error: AppError): Refusal {
  const use = {
    id: uuidv7(),
    organizationId: key.organizationId,
    apiKeyId: key.apiKeyId,
    route: routeOf(request),
    code: error.code,
    message: redactApiKeys(error.message).slice(0, MESSAGE_MAX),
    address: request.ip,
    requestId: request.id,
    isOfSession: request.session !== null,
  };
  return {
    same: `${key.apiKeyId} ${use.route} ${error.code} ${use.isOfSession}`,
    insert: (tx) => insertDeniedUse(tx, use),
  };
}

function exceeded(request: FastifyRequest, key: IdentifiedKey, error: AppError): Refusal | undefined {
  const { exceededLimit: limit, retryAfterSeconds } = error.data;
  if (limit === undefined) return undefined;
  const limitedId = limit.of === "key" ? key.apiKeyId : key.organizationId;
  const same = `rate_limit.exceeded ${limit.name} ${limitedId}`;
  const event = {
    id: uuidv7(),
    organizationId: key.organizationId,
    apiKeyId: limit.of === "key" ? key.apiKeyId : null,
    action: "rate_limit.exceeded",
    route: routeOf(request),
    details: { limit: limit.name, value: limit.value, retryAfterSeconds: retryAfterSeconds ?? null },
    actorKeyId: key.apiKeyId,
    address: request.ip,
    requestId: request.id,
    onceAMinute: same,
  } as const;
  return { same, insert: (tx) => insertAuditEvent(tx, event) };
}

function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions.url ?? ""}`;
}
