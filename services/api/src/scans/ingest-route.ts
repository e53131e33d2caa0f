import type { ScanJob } from "@waymark/server/queue/scan-queue.ts";
import type { Acceptance } from "@waymark/server/scans/accept/acceptance.ts";
import type { FastifyRequest } from "fastify";
import { NO_QUERY } from "@waymark/shared/operations/operation.ts";
import { sourceOf } from "@waymark/shared/scans/source/headers.ts";
import * as operations from "@waymark/shared/scans/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { isGzip } from "../lib/read-body.ts";
import { useBodyAsSent } from "../lib/json-body.ts";
import { validationError, type ZodApp, zodValidator } from "../lib/zod-routes.ts";
import type { DailyQuotas } from "./daily-quota.ts";
import { ingestScan } from "./ingest-scan.ts";
import { createRecentContent } from "./recent-content.ts";
import { requirePermission } from "../lib/require-permission.ts";
import { createServe } from "../lib/serve.ts";

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

/** Register it in a separate app, whose bodies stay unparsed until it is known whether they must be read. */
export function registerIngestRoute(app: ZodApp, dependencies: IngestRouteDependencies): void {
  useBodyAsSent(app);
  const serve = createServe(app, dependencies.authenticate);
  const recent = createRecentContent();
  const validateHeaders = zodValidator({ schema: operations.ingestScan.headers, httpPart: "headers" });
  const validateQuery = zodValidator({ schema: NO_QUERY, httpPart: "querystring" });
  serve(
    operations.ingestScan,
    async (request, reply) => {
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
        .header("location", pathOf(operations.getScanRun, response))
        .send({ ...response, resultUrl });
    },
    {
      onRequest: requirePermission("scans:create"),
      config: { bodyBytesMax: dependencies.bodyBytesMax },
      // The body's schema is for the documentation. `readScan` parses the bytes, if necessary.
      validatorCompiler: ({ httpPart }) =>
        httpPart === "body" ? keepBytes : httpPart === "headers" ? validateHeaders : validateQuery,
    },
  );
}

function keepBytes(value: unknown) {
  return { value };
}
