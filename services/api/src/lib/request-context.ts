import type { ErrorCode } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/** How a scan was accepted: read and stored, already known, or replayed for its Idempotency-Key. */
export type IngestPath = "new" | "repeated" | "replayed";

declare module "fastify" {
  interface FastifyRequest {
    /** The error code of a refused request, for its log line and the metrics. */
    refusedWith: ErrorCode | null;
    /** The result for the submitted scan. */
    ingested: { scanRunId: string; path: IngestPath } | null;
    /** The run of a journey that it has started. */
    journeyRunId: string | null;
  }
}

/** Data that a request's handlers provide for its log line, metrics and trace. */
export function registerRequestContext(app: FastifyInstance): void {
  app.decorateRequest("refusedWith", null);
  app.decorateRequest("ingested", null);
  app.decorateRequest("journeyRunId", null);
}
