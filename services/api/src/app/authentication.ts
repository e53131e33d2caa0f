import type { IdentifiedKey, KeyChecks } from "@waymark/server/api-keys/check-key.ts";
import { recordFirstUse, updateApiKeysLastUsed } from "@waymark/server/api-keys/queries.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { FastifyInstance } from "fastify";
import type { ApiConfig } from "../config.ts";
import { type Authenticate, createAuthenticate } from "../lib/authenticate.ts";
import { connectLimitStore } from "../lib/limits/limit-store.ts";
import { createRequestLimits, type RequestLimits } from "../lib/limits/request-limits.ts";
import type { Sessions } from "../lib/sessions.ts";
import { createLastUsedRecorder } from "../lib/last-used-recorder.ts";

/** Creates the key check with its limits and the recorder of last use, and closes them with the app. */
export function registerAuthentication(
  app: FastifyInstance,
  dependencies: {
    config: ApiConfig;
    logger: Logger;
    pool: PgPool;
    keyChecks: KeyChecks;
    sessions: Sessions;
  },
): { authenticate: Authenticate; limits: RequestLimits } {
  const { config, logger, pool, keyChecks, sessions } = dependencies;
  const redis = connectLimitStore(config.redisUrl, (error) =>
    logger.debug({ err: error }, "rate limits: Redis connection error"),
  );
  const outage = createOutageLog(logger, { what: "the Redis of the rate limits", level: "warn" });
  const limits = createRequestLimits(redis, {
    ...config,
    onError: outage.failed,
    onUsable: outage.recovered,
  });
  const lastUsedRecorder = createLastUsedRecorder(
    (keys: IdentifiedKey[]) => updateApiKeysLastUsed(pool, keys),
    {
      idOf: (key) => key.apiKeyId,
      onError: (error) => logger.warn({ err: error }, "the last use of keys could not be recorded"),
    },
  );
  app.addHook("onClose", async () => {
    await Promise.all([lastUsedRecorder.settled(), sessions.settled()]);
    redis?.disconnect();
  });
  const authenticate = createAuthenticate({
    keyChecks,
    limits,
    lastUsedRecorder,
    sessions,
    recordFirstUse: (key) => recordFirstUse(pool, key),
  });
  return { authenticate, limits };
}
