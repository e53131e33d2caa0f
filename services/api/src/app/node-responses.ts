import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Responds as the api does in three cases where Node or Fastify would send errors of their own: no `Host` header
 * (`requireHostHeader: false`), a process that is shutting down (`return503OnClosing: false`), and an unknown `Expect` header.
 */
export function replaceNodeResponses(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", (request, reply, done) => {
    // A proxy may send one on an open connection before it knows: it is served, because the databases are closed last.
    if (isClosing) reply.header("connection", "close");
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") done(hostless());
    else done();
  });
  // RFC 9110, 10.1.1: unknown expectations may be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}

function hostless(): AppError {
  return new AppError("validation_failed", "The request has no Host header.");
}
