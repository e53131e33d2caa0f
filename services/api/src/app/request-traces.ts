import type { TraceSpan, Tracing } from "@waymark/server/observability/tracing.ts";
import type { FastifyInstance } from "fastify";

/**
 * Creates a span for each request, which continues the caller's `traceparent`. Register it only if tracing is enabled, so
 * that requests cost nothing otherwise.
 */
export function registerRequestTraces(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<object, TraceSpan>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { method } = request;
    const route = request.is404 ? "unmatched" : (request.routeOptions.url ?? "unmatched");
    const { traceparent } = request.headers;
    const span = tracing.start(`${method} ${route}`, {
      kind: "server",
      parent: typeof traceparent === "string" ? traceparent : undefined,
      attributes: { "http.request.method": method, "http.route": route, "waymark.request_id": request.id },
    });
    spans.set(request, span);
    request.log = request.log.child({ traceId: span.traceId });
    tracing.within(span, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const span = spans.get(request);
    span?.set({
      "http.response.status_code": reply.statusCode,
      ...(request.refusedWith === null ? {} : { "error.type": request.refusedWith }),
      ...(request.journeyRunId === null ? {} : { "waymark.journey_run_id": request.journeyRunId }),
      ...(request.ingested === null
        ? {}
        : {
            "waymark.scan_run_id": request.ingested.scanRunId,
            "waymark.ingest_path": request.ingested.path,
          }),
    });
    if (reply.statusCode >= 500) span?.fail(request.refusedWith ?? "internal_error");
    span?.end();
    done();
  });
}
