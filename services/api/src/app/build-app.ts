import type { DatabasePool, HotPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import type { ScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { v7 as uuidv7 } from "uuid";
import type { ApiConfig } from "../config.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { createDeniedUseRecorder } from "../audit/record-denied.ts";
import { registerAuditRoutes } from "../audit/routes.ts";
import { registerHealthRoutes } from "../health/routes.ts";
import { createBaseUrl } from "../lib/base-url.ts";
import { registerJsonBody } from "../lib/json-body.ts";
import { withZodRoutes, type ZodApp } from "../lib/zod-routes.ts";
import { registerLimitsRoute } from "../limits/routes.ts";
import { registerPages } from "../pages/routes.ts";
import { createAnnouncer } from "../scans/announce.ts";
import { registerScanChangeRoutes } from "../scans/change-routes.ts";
import { registerIngestRoute } from "../scans/ingest-route.ts";
import { registerScanRunRoutes } from "../scans/read-routes.ts";
import { registerServiceRoutes } from "../services/routes.ts";
import { registerAuthentication } from "./authentication.ts";
import { registerErrorHandler, sendError, toAppError } from "./error-handler.ts";
import { registerOpenApi } from "./openapi.ts";
import { answerUnparsedRequest } from "./unparsed-request.ts";

export interface AppDependencies {
  config: ApiConfig;
  logger: Logger;
  pool: HotPool;
  db: DatabasePool;
  queue: ScanQueue;
}

/** The whole HTTP interface, ready to listen. Closing it waits for requests and announcements under way. */
export async function buildApp({
  config,
  logger,
  pool,
  db,
  queue,
}: AppDependencies): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = logger;
  const app = fastify({
    loggerInstance,
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    trustProxy: config.trustProxy,
    // One line per request instead of two, see below.
    logController: new LogController({ disableRequestLogging: true }),
    // Slow clients: headers within 15 s, the whole request within a minute.
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: 15_000, maxHeaderSize: 16 * 1024 },
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => void sendError(toAppError(error), request, reply),
    clientErrorHandler: answerUnparsedRequest,
  });
  app.decorateRequest("actor", null);
  app.decorateRequest("identifiedKey", null);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, url, ip } = request;
    const ms = Math.round(reply.elapsedTime * 1000) / 1000;
    request.log.info({ method, url, ip, status: reply.statusCode, ms }, "request");
  });
  registerErrorHandler(app, { beforeAnswer: createDeniedUseRecorder(db) });
  registerJsonBody(app, { bytesMax: config.bodyBytesMax, bytesInFlightMax: config.bodyBytesInFlightMax });
  const routes = withZodRoutes(app);
  await registerOpenApi(app, { version: "0.1.0" });

  const announcer = createAnnouncer(queue, logger);
  app.addHook("onClose", () => announcer.settled());
  const authenticate = registerAuthentication(app, { config, logger, pool });
  const baseUrlOf = createBaseUrl(config.publicBaseUrl);
  await routes.register(async (scope: ZodApp) =>
    registerIngestRoute(scope, { pool, authenticate, announce: announcer.announce, baseUrlOf }),
  );
  registerScanRunRoutes(routes, { db, authenticate });
  registerScanChangeRoutes(routes, { db, authenticate });
  registerServiceRoutes(routes, { db, authenticate });
  registerApiKeyRoutes(routes, { db, authenticate });
  registerAuditRoutes(routes, { db, authenticate });
  registerLimitsRoute(routes, { authenticate, limits: config });
  registerHealthRoutes(app, { db, queue });
  await registerPages(app);
  return app;
}
