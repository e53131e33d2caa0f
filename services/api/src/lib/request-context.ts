import type { ErrorCode } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/** How a scan was taken: read and stored, known already, or answered from its Idempotency-Key. */
export type IngestPath = "new" | "repeated" | "replayed";

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused: what its log line and the metrics go by. */
    refusedWith: ErrorCode | null;
    /** What became of the scan that it brought. */
    ingested: { scanRunId: string; path: IngestPath } | null;
  }
}

/** What a request's handlers leave for its log line, its metrics and its trace. */
export function registerRequestContext(app: FastifyInstance): void {
  app.decorateRequest("refusedWith", null);
  app.decorateRequest("ingested", null);
}
