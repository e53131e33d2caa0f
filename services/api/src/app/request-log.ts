import type { FastifyInstance } from "fastify";
import { decodeUnreserved } from "../lib/decode-unreserved.ts";

/**
 * Logs one line per request, and sends its id in the response. For a scan or a journey, the line has the run's id, as in worker
 * logs. Addresses are logged in plain form, in which the log recognizes keys and tokens.
 */
export function registerRequestLog(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method, url, ip, ingested, journeyRunId, refusedWith } = request;
    const ms = Math.round(reply.elapsedTime * 1000) / 1000;
    request.log.info(
      {
        method,
        url: decodeUnreserved(url),
        ip,
        status: reply.statusCode,
        ms,
        ...(ingested === null ? {} : { scanRunId: ingested.scanRunId, path: ingested.path }),
        ...(journeyRunId === null ? {} : { runId: journeyRunId }),
        ...(refusedWith === null ? {} : { code: refusedWith }),
      },
      "request",
    );
    done();
  });
  // The client is gone, so no other hook runs.
  app.addHook("onRequestAbort", (request, done) => {
    const { method, url, ip, bodyBytesHeld } = request;
    if (request.refusedWith === null)
      request.log.info({ method, url: decodeUnreserved(url), ip, bodyBytesHeld }, "request aborted");
    done();
  });
}
