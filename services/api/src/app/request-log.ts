import type { FastifyInstance } from "fastify";

/** One line per request, and its id in the answer. A scan's line names its run, which the workers' lines name too. */
export function registerRequestLog(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method, url, ip, ingested, refusedWith } = request;
    const ms = Math.round(reply.elapsedTime * 1000) / 1000;
    request.log.info(
      {
        method,
        url,
        ip,
        status: reply.statusCode,
        ms,
        ...(ingested === null ? {} : { scanRunId: ingested.scanRunId, path: ingested.path }),
        ...(refusedWith === null ? {} : { code: refusedWith }),
      },
      "request",
    );
    done();
  });
  // Nobody is left to answer, so no other hook tells of it.
  app.addHook("onRequestAbort", (request, done) => {
    const { method, url, ip, bodyBytesHeld } = request;
    if (request.refusedWith === null) request.log.info({ method, url, ip, bodyBytesHeld }, "request aborted");
    done();
  });
}
