import { insertDeniedUse } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import type { AppError, ErrorCode } from "@waymark/shared/errors/app-error.ts";
import { redactApiKeys } from "@waymark/shared/lib/redact-api-keys.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";

const DENIALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "api_key_expired",
  "api_key_revoked",
  "api_key_disabled",
  "network_not_allowed",
  "permission_denied",
  "organization_mismatch",
]);
const MINUTE_MS = 60_000;
const REMEMBERED_MAX = 10_000;
const MESSAGE_MAX = 500;

/**
 * Records what a known key was refused: one row per key, route, code and minute. Who doesn't know a key's secret
 * leaves no row at all, so nobody can fill the disk. A record that can't be written never changes the answer.
 */
export function createDeniedUseRecorder(
  db: DatabasePool,
): (request: FastifyRequest, error: AppError) => Promise<void> {
  // The database has the same rule; this only spares it the repetitions.
  const recorded = new Map<string, number>();

  return async (request, error) => {
    const key = request.identifiedKey;
    if (key === null || !DENIALS.has(error.code)) return;
    const route = `${request.method} ${request.routeOptions.url ?? ""}`;
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const once = `${key.apiKeyId} ${route} ${error.code}`;
    if (recorded.get(once) === minute) return;
    if (recorded.size >= REMEMBERED_MAX) recorded.clear();
    recorded.set(once, minute);
    try {
      await withOrganization(db, key.organizationId, (tx) =>
        insertDeniedUse(tx, {
          id: uuidv7(),
          organizationId: key.organizationId,
          apiKeyId: key.apiKeyId,
          route,
          code: error.code,
          message: redactApiKeys(error.message).slice(0, MESSAGE_MAX),
          address: request.ip,
          requestId: request.id,
        }),
      );
    } catch (failure) {
      recorded.delete(once);
      request.log.error({ err: failure }, "a denied use could not be recorded");
    }
  };
}
