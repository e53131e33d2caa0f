import { createKeyChecks } from "@waymark/server/api-keys/check-key.ts";
import type { DatabasePool, PgPool } from "@waymark/server/db/pool.ts";
import type { Readiness } from "@waymark/server/lib/readiness.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import type { Queues } from "@waymark/server/queue/queues.ts";
import { createCompiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { createAcceptance } from "@waymark/server/scans/accept/acceptance.ts";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { v7 as uuidv7 } from "uuid";
import type { ApiConfig } from "../config.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { registerTrustPolicyRoutes } from "../api-keys/trust-policies/routes.ts";
import { createRefusalRecorder } from "../audit/record-refused.ts";
import { registerAuditRoutes } from "../audit/routes.ts";
import { registerEndpointSearchRoute } from "../endpoint-search/routes.ts";
import { registerDownloads } from "../downloads/routes.ts";
import { registerEnvironmentRoutes } from "../environments/routes.ts";
import { registerHealthRoutes } from "../health/routes.ts";
import { withoutBasePath } from "../lib/base-path.ts";
import { registerBodyBudget } from "../lib/body-budget.ts";
import { registerJsonBody } from "../lib/json-body.ts";
import { createPublicAddress } from "../lib/public-address.ts";
import { registerRequestContext } from "../lib/request-context.ts";
import { registerRouteRules } from "../lib/route-rules.ts";
import { shedLoad } from "../lib/shed-load.ts";
import { createServe } from "../lib/serve.ts";
import { createSessions } from "../lib/sessions.ts";
import { createWaits } from "../lib/waits/waits.ts";
import { withZodRoutes, type ZodApp } from "../lib/zod-routes.ts";
import { registerLimitsRoute } from "../limits/routes.ts";
import { registerJourneyCoverageRoutes } from "../journey-coverage/routes.ts";
import { createRunAnnouncer } from "../journey-runs/announce.ts";
import { registerJourneyRunLinkRoutes } from "../journey-runs/links/routes.ts";
import { createReportRenderer } from "../journey-runs/reports/report-renderer.ts";
import { registerJourneyRunRoutes } from "../journey-runs/routes.ts";
import { registerJourneyRoutes } from "../journeys/routes.ts";
import { registerJourneyScheduleRoutes } from "../journey-schedules/routes.ts";
import { registerConsole } from "../console/routes.ts";
import { registerInvitationRoutes } from "../principals/invitations/routes.ts";
import { registerRoleRoutes } from "../principals/roles/routes.ts";
import { registerPrincipalRoutes } from "../principals/routes.ts";
import { registerTeamRoutes } from "../principals/teams/routes.ts";
import { createAnnouncer } from "../scans/announce.ts";
import { createOtherComparisons, OTHER_COMPARISONS_PROCESS } from "../scans/other-comparisons.ts";
import { registerSavedViewRoutes } from "../saved-views/routes.ts";
import { registerScanChangeRoutes } from "../scans/change-routes.ts";
import { registerCurrentFindingRoutes } from "../scans/current-findings/routes.ts";
import { registerFindingAssignmentRoutes } from "../scans/finding-assignments/routes.ts";
import { registerFindingCommentRoutes } from "../scans/finding-comments/routes.ts";
import { registerFindingDecisionRoutes } from "../scans/finding-decisions/routes.ts";
import { registerRunCommentRoutes } from "../scans/run-comments/routes.ts";
import { registerSeverityPolicyRoutes } from "../scans/severity-policy/routes.ts";
import { registerReadDescriptionRoute } from "../scans/descriptions/read-route.ts";
import { registerScanGatesRoutes } from "../scans/gates/routes.ts";
import { registerPutDescriptionRoute } from "../scans/descriptions/put-route.ts";
import { createDailyQuotas } from "../scans/daily-quota.ts";
import { registerIngestRoute } from "../scans/ingest-route.ts";
import { registerFindingRoute } from "../scans/finding-route.ts";
import { registerScanRunRoutes } from "../scans/read-routes.ts";
import { registerBadgeImageRoute } from "../services/badges/image-route.ts";
import { registerChangeApprovalRoutes } from "../services/approvals/routes.ts";
import { registerSnoozeRoutes } from "../services/snoozes/routes.ts";
import { registerServiceBadgeRoutes } from "../services/badges/routes.ts";
import { registerOverviewRoute } from "../services/overview-route.ts";
import { registerPullRequestsRoute } from "../services/pull-requests-route.ts";
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
import { registerSignIn } from "./sign-in.ts";
import { registerTokenExchange } from "./token-exchange.ts";
import { toOriginForm } from "./origin-form.ts";
import { addBasePathToLocations, createResponseHeaders } from "./response-headers.ts";
import { registerRevalidation } from "./revalidation.ts";
import { createParserErrorHandler } from "./parser-error.ts";

/** Descriptions are read in a process of their own, so that journeys don't wait for them. 20 MB of JSON take 5 s and 640 MB there. */
const DESCRIPTION_PROCESS = { ms: 20_000, wallMs: 60_000, taskMs: 60_000, memoryMiB: 256 };

export interface AppDependencies {
  config: ApiConfig;
  pool: PgPool;
  db: DatabasePool;
  queues: Queues;
  readiness: () => Promise<Readiness>;
  /** Whether the process will close soon. */
  isDraining: () => boolean;
  observability: Observability;
}

/** Builds the HTTP API, ready to listen. Closing it waits for running requests and announcements. */
// oxlint-disable-next-line max-lines-per-function -- wires everything up, in order
export async function buildApp({
  config,
  pool,
  db,
  queues,
  readiness,
  isDraining,
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
    rewriteUrl: (request) => withoutBasePath(toOriginForm(request.url ?? "/"), address.basePath),
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
    // Clients and proxies give up the connection before this process closes it, which could cost them a request.
    if (isDraining()) reply.header("connection", "close");
    done();
  });
  replaceNodeResponses(app);
  addBasePathToLocations(app, address);
  app.decorateRequest("session", null);
  registerRevalidation(app);
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
  const routeIndex = registerRouteRules(app);
  const routes = withZodRoutes(app);
  await registerOpenApi(app, address);

  const traceParent = () => tracing?.activeTraceParent();
  const { failed: onFailed } = createAnnouncementMetrics(registry);
  const announcer = createAnnouncer({ queue: queues.scans, logger, tracing }, { onFailed });
  app.addHook("onClose", () => announcer.settled());
  const sessions = createSessions(pool, {
    address,
    idleMinutes: config.sessionIdleMinutes,
    onError: (error) => logger.warn({ err: error }, "the last use of sessions could not be recorded"),
  });
  const { authenticate, limits } = registerAuthentication(app, { config, logger, pool, keyChecks, sessions });
  const quotas = createDailyQuotas(config);
  await routes.register(async (scope: ZodApp) =>
    registerIngestRoute(scope, {
      bodyBytesMax: config.bodyBytesMax,
      acceptance,
      authenticate,
      quotas,
      announce: announcer.announce,
      traceParent,
      baseUrlOf: address.baseUrlOf,
    }),
  );
  const waits = createWaits();
  app.addHook("preClose", (done) => {
    waits.close();
    done();
  });
  const serve = createServe(routes, authenticate);
  registerScanRunRoutes(serve, { db, pool, waits });
  registerFindingRoute(serve, { db });
  registerCurrentFindingRoutes(serve, { db });
  registerFindingDecisionRoutes(serve, { db });
  registerFindingCommentRoutes(serve, { db });
  registerRunCommentRoutes(serve, { db });
  registerFindingAssignmentRoutes(serve, { db });
  registerSeverityPolicyRoutes(serve, { db });
  registerEndpointSearchRoute(serve, { db });
  registerOverviewRoute(serve, { db });
  registerPullRequestsRoute(serve, { db });
  registerServiceRoutes(serve, { db });
  registerChangeApprovalRoutes(serve, { db });
  registerSnoozeRoutes(serve, { db });
  registerServiceBadgeRoutes(serve, { db, baseUrlOf: address.baseUrlOf });
  registerBadgeImageRoute(app, { pool, db, limits });
  const compiler = createCompiler();
  app.addHook("onClose", () => compiler[Symbol.dispose]());
  const comparer = createCompiler(OTHER_COMPARISONS_PROCESS);
  app.addHook("onClose", () => comparer[Symbol.dispose]());
  registerScanChangeRoutes(serve, { db, others: createOtherComparisons({ db, compiler: comparer }) });
  registerJourneyRoutes(serve, { db, compiler, bodyBytesMax: config.bodyBytesMax });
  const descriptionReader = createCompiler({ processes: 1, limits: DESCRIPTION_PROCESS });
  app.addHook("onClose", () => descriptionReader[Symbol.dispose]());
  await routes.register(async (scope: ZodApp) =>
    registerPutDescriptionRoute(scope, {
      db,
      pool,
      waits,
      compiler: descriptionReader,
      authenticate,
      quotas,
      bodyBytesMax: config.bodyBytesMax,
    }),
  );
  registerReadDescriptionRoute(serve, { db });
  registerScanGatesRoutes(serve, { db });
  const reports = createReportRenderer();
  app.addHook("onClose", () => reports[Symbol.dispose]());
  registerJourneyRunRoutes(serve, {
    db,
    pool,
    waits,
    reports,
    compiler,
    keyRing: config.keyRing,
    announce: createRunAnnouncer({ queue: queues.journeys, tracing }, { onFailed }),
    traceParent,
    baseUrlOf: address.baseUrlOf,
  });
  registerJourneyCoverageRoutes(serve, { db });
  const { scheduleMinutesMin: intervalMinutesMin } = config;
  registerJourneyScheduleRoutes(serve, { db, intervalMinutesMin });
  registerApiKeyRoutes(serve, { db, lifetimeDaysMax: config.keyLifetimeDaysMax });
  registerPrincipalRoutes(serve, { db });
  registerTeamRoutes(serve, { db });
  registerSavedViewRoutes(serve, { db });
  registerRoleRoutes(serve, { db });
  registerJourneyRunLinkRoutes(serve, { db, limits, baseUrlOf: address.baseUrlOf });
  registerInvitationRoutes(serve, {
    db,
    sessions,
    limits,
    lifetimeDaysMax: config.keyLifetimeDaysMax,
    baseUrlOf: address.baseUrlOf,
  });
  registerTrustPolicyRoutes(serve, { db, baseUrlOf: address.baseUrlOf });
  await registerTokenExchange(app, routes, { config, logger, db, limits, authenticate });
  registerEnvironmentRoutes(serve, { db, keyRing: config.keyRing, compiler });
  const { keySignIn } = config;
  registerSessionRoutes(serve, { db, authenticate, sessions, limits, keySignIn });
  await registerSignIn(app, routes, { config, db, limits, authenticate, address, sessions, serve });
  registerAuditRoutes(serve, { db });
  registerLimitsRoute(serve, { db, requestLimits: limits, limits: config });
  registerHealthRoutes(app, { readiness });
  await registerDownloads(app, { folder: config.downloadsFolder });
  const { redisUrl, operationsOrganizationId: organizationId } = config;
  if (redisUrl !== undefined && organizationId !== undefined) {
    // Loaded where it is used: the packages behind it are large.
    const { registerQueueBoard } = await import("../operations/routes.ts");
    await registerQueueBoard(app, { authenticate, redisUrl, organizationId, basePath: address.basePath });
  }
  await registerConsole(app, {
    basePath: address.basePath,
    sendNoRoute: (request, reply) => sendNoRoute({ routes: routeIndex, address }, request, reply),
  });
  return app;
}
