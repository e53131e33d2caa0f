import { createKeyChecks } from "@waymark/shared/api-keys/check-key.ts";
import type { DatabasePool, PgPool } from "@waymark/shared/db/pool.ts";
import type { Readiness } from "@waymark/shared/lib/readiness.ts";
import type { Observability } from "@waymark/shared/observability/start.ts";
import type { ScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import { createAcceptance } from "@waymark/shared/scans/accept/acceptance.ts";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { v7 as uuidv7 } from "uuid";
import type { ApiConfig } from "../config.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { createRefusalRecorder } from "../audit/record-refused.ts";
import { registerAuditRoutes } from "../audit/routes.ts";
import { registerHealthRoutes } from "../health/routes.ts";
import { registerBodyBudget } from "../lib/body-budget.ts";
import { registerJsonBody } from "../lib/json-body.ts";
import { createPublicAddress } from "../lib/public-address.ts";
import { registerRequestContext } from "../lib/request-context.ts";
import { shedLoad } from "../lib/shed-load.ts";
import { createSessions } from "../lib/sessions.ts";
import { withZodRoutes, type ZodApp } from "../lib/zod-routes.ts";
import { registerLimitsRoute } from "../limits/routes.ts";
import { registerConsole } from "../console/routes.ts";
import { createAnnouncer } from "../scans/announce.ts";
import { registerScanChangeRoutes } from "../scans/change-routes.ts";
import { createDailyQuotas } from "../scans/daily-quota.ts";
import { registerIngestRoute } from "../scans/ingest-route.ts";
import { registerScanRunRoutes } from "../scans/read-routes.ts";
import { registerServiceRoutes } from "../services/routes.ts";
import { registerSessionRoutes } from "../session/routes.ts";
import { registerAuthentication } from "./authentication.ts";
import { registerCompression } from "./compression.ts";
import { registerErrorHandler, sendError, sendNoRoute, toAppError } from "./error-handler.ts";
import { replaceNodeResponses } from "./node-responses.ts";
import { registerOpenApi } from "./openapi.ts";
import { registerRequestLog } from "./request-log.ts";
import {
  createAnnouncementMetrics,
  createRequestMetrics,
  registerBodyBudgetMetrics,
} from "./request-metrics.ts";
import { registerRequestTraces } from "./request-traces.ts";
import { toOriginForm } from "./origin-form.ts";
import { createResponseHeaders } from "./response-headers.ts";
import { createParserErrorHandler } from "./parser-error.ts";

export interface AppDependencies {
  config: ApiConfig;
  pool: PgPool;
  db: DatabasePool;
  queue: ScanQueue;
  readiness: () => Promise<Readiness>;
  observability: Observability;
}

/** Builds the HTTP API, ready to listen. Closing it waits for running requests and announcements. */
// oxlint-disable-next-line max-lines-per-function -- wires everything up, in order
export async function buildApp({
  config,
  pool,
  db,
  queue,
  readiness,
  observability: { logger, registry, tracing },
}: AppDependencies): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = logger;
  const requestMetrics = createRequestMetrics(registry);
  const address = createPublicAddress(config.publicBaseUrl);
  const responseHeaders = createResponseHeaders(address);
  const app = fastify({
    loggerInstance,
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    trustProxy: config.trustProxy,
    // Disabled, because `request-log.ts` logs one line per request instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    rewriteUrl: (request) => toOriginForm(request.url ?? "/"),
    return503OnClosing: false,
    http: {
      requireHostHeader: false,
      // If both are set, Node uses the shorter one for headers and the longer one for requests.
      headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
      // How often Node checks these two limits. Its default of 30 s would triple the shorter one.
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
    },
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: "idle",
    frameworkErrors(error, request, reply) {
      const known = toAppError(error);
      requestMetrics.unrouted(request.method, known.httpStatus);
      responseHeaders.addTo(request, reply);
      void sendError(known, request, reply);
    },
    clientErrorHandler: createParserErrorHandler({
      headers: responseHeaders.withoutRequest,
      onResponse: requestMetrics.unparsed,
    }),
  });
  app.server.maxConnections = config.connectionsMax;
  app.decorateRequest("actor", null);
  app.decorateRequest("identifiedKey", null);
  app.decorateRequest("countRefusal", null);
  registerRequestContext(app);
  if (tracing !== undefined) registerRequestTraces(app, tracing);
  registerRequestLog(app);
  requestMetrics.register(app);
  app.addHook("onRequest", (request, reply, done) => {
    responseHeaders.addTo(request, reply);
    done();
  });
  replaceNodeResponses(app);
  app.decorateRequest("session", null);
  registerCompression(app);
  registerErrorHandler(app, { beforeAnswer: createRefusalRecorder(db) });
  const keyChecks = createKeyChecks(pool);
  const acceptance = createAcceptance(pool);
  const waiting = () =>
    pool.waitingCount + db.state().waitingClients + keyChecks.waiting() + acceptance.waiting();
  shedLoad(app, { waiting, waitingMax: config.databaseWaitingMax });
  const budget = registerBodyBudget(app, {
    bytesInFlightMax: config.bodyBytesInFlightMax,
    bytesPerOrganizationMax: Math.max(config.bodyBytesInFlightMax / 2, config.bodyBytesMax),
  });
  registerBodyBudgetMetrics(registry, budget, config);
  registerJsonBody(app, { bytesMax: config.bodyBytesMax, budget });
  const routes = withZodRoutes(app);
  await registerOpenApi(app);

  const { failed: onFailed } = createAnnouncementMetrics(registry);
  const announcer = createAnnouncer({ queue, logger, tracing }, { onFailed });
  app.addHook("onClose", () => announcer.settled());
  const sessions = createSessions(pool, {
    address,
    idleMinutes: config.sessionIdleMinutes,
    onError: (error) => logger.warn({ err: error }, "the last use of sessions could not be recorded"),
  });
  const { authenticate, limits } = registerAuthentication(app, { config, logger, pool, keyChecks, sessions });
  await routes.register(async (scope: ZodApp) =>
    registerIngestRoute(scope, {
      bodyBytesMax: config.bodyBytesMax,
      acceptance,
      authenticate,
      quotas: createDailyQuotas(config),
      announce: announcer.announce,
      traceParent: () => tracing?.activeTraceParent(),
      baseUrlOf: address.baseUrlOf,
    }),
  );
  registerScanRunRoutes(routes, { db, authenticate });
  registerScanChangeRoutes(routes, { db, authenticate });
  registerServiceRoutes(routes, { db, authenticate });
  registerApiKeyRoutes(routes, { db, authenticate, lifetimeDaysMax: config.keyLifetimeDaysMax });
  registerSessionRoutes(routes, { db, authenticate, sessions, limits });
  registerAuditRoutes(routes, { db, authenticate });
  registerLimitsRoute(routes, { db, authenticate, requestLimits: limits, limits: config });
  registerHealthRoutes(app, { readiness });
  await registerConsole(app, { sendNoRoute });
  return app;
}
