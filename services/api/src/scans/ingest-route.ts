import { hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { ScanJob } from "@waymark/shared/queue/scan-queue.ts";
import type { Acceptance } from "@waymark/shared/scans/accept/acceptance.ts";
import { IsoDateTime } from "@waymark/shared/lib/schema.ts";
import { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { isGzip } from "../lib/read-body.ts";
import { idempotencyKeyHeader } from "../lib/idempotency-key.ts";
import { useBodyAsSent } from "../lib/json-body.ts";
import { NO_QUERY, validationError, type ZodApp, zodValidator } from "../lib/zod-routes.ts";
import type { DailyQuotas } from "./daily-quota.ts";
import { ingestScan } from "./ingest-scan.ts";
import { createRecentContent } from "./recent-content.ts";
import { SOURCE_HEADERS, sourceOf } from "./source-headers.ts";

export interface IngestRouteDependencies {
  /** The limit of one decoded scan. */
  bodyBytesMax: number;
  acceptance: Acceptance;
  authenticate: Authenticate;
  quotas: DailyQuotas;
  announce: (job: ScanJob, requestId: string) => void;
  /** The `traceparent` of the current request; undefined if it is not traced. */
  traceParent: () => string | undefined;
  baseUrlOf: (request: FastifyRequest) => string;
}

/** Headers that change how a scan is accepted. Header names are lower case, as in Node. */
const IngestHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 h, a request with the same Idempotency-Key and body gets the first response again.",
  ),
  "scanned-at": IsoDateTime
    // Postgres returns years BC as text that date parsers can't read, which would cause a 500 in later requests.
    .refine((time) => !(Date.parse(time) < 0), "must not be before 1970")
    .optional()
    .meta({ description: "When the scan was made, if earlier than now. It can only move a run back." }),
  "waymark-promote": z
    .enum(["true", "false"], "must be true or false")
    .optional()
    .meta({ description: "false stores the run without making it the service's current one." }),
  ...SOURCE_HEADERS,
});

/** Register it in a separate app, whose bodies stay unparsed until it is known whether they must be read. */
export function registerIngestRoute(app: ZodApp, dependencies: IngestRouteDependencies): void {
  useBodyAsSent(app);
  const recent = createRecentContent();
  const validateHeaders = zodValidator({ schema: IngestHeaders, httpPart: "headers" });
  const validateQuery = zodValidator({ schema: NO_QUERY, httpPart: "querystring" });
  app.route({
    method: "POST",
    url: "/api/scans/ingest",
    schema: {
      operationId: "ingestScan",
      summary: "Submit a scan",
      description:
        "Accepts normalized scan output. The organization is resolved from the API key and must not be in the body. " +
        "After a 201 the scan is durable; its rows are persisted moments later.",
      tags: ["scans"],
      querystring: NO_QUERY,
      headers: IngestHeaders,
      body: ScanIngestionPayload,
      response: {
        201: ScanIngestionResult,
        ...Object.fromEntries(
          [400, 401, 403, 409, 413, 415, 422, 429, 503].map((status) => [status, ErrorResponse] as const),
        ),
      },
    },
    config: { limits: "ingest", bodyBytesMax: dependencies.bodyBytesMax },
    onRequest: [dependencies.authenticate, requireScansCreate],
    // The body's schema is for the documentation. `readScan` parses the bytes, if necessary.
    validatorCompiler: ({ httpPart }) =>
      httpPart === "body" ? keepBytes : httpPart === "headers" ? validateHeaders : validateQuery,
    handler: async (request, reply) => {
      const { headers } = request;
      const body: unknown = request.body;
      if (!Buffer.isBuffer(body)) throw validationError([{ path: "", message: "a JSON body is required" }]);
      const actor = actorOf(request);
      const { organizationId } = actor;
      const announce = (job: ScanJob) => dependencies.announce(job, request.id);
      const { response, path } = await ingestScan(
        { acceptance: dependencies.acceptance, announce, recent },
        {
          actor,
          body,
          isCompressed: isGzip(request.raw),
          decodeBody: () => app.decodeBody(request, body),
          idempotencyKey: headers["idempotency-key"] ?? null,
          scannedAt: headers["scanned-at"] === undefined ? null : new Date(headers["scanned-at"]),
          promote: headers["waymark-promote"] !== "false",
          source: sourceOf(headers),
          traceParent: dependencies.traceParent(),
          quotaOf: (bytes) => dependencies.quotas({ organizationId, bytes }, reply),
        },
      );
      request.ingested = { scanRunId: response.scanRunId, path };
      const resultUrl = `${dependencies.baseUrlOf(request)}/scan-runs/${response.scanRunId}`;
      return reply
        .code(201)
        .header("location", `/api/scan-runs/${response.scanRunId}`)
        .send({ ...response, resultUrl });
    },
  });
}

/** Refuses a key that can't submit any scan before the body is read. */
async function requireScansCreate(request: FastifyRequest): Promise<void> {
  if (hasPermission(actorOf(request), "scans:create")) return;
  throw new AppError("permission_denied", "This API key lacks the permission scans:create.");
}

function keepBytes(value: unknown) {
  return { value };
}
