import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Sends the api's error responses, with its headers, in three cases where Node or Fastify would send their own: no `Host`
 * header (`requireHostHeader: false`), a process that is shutting down (`return503OnClosing: false`), and an unknown
 * `Expect` header.
 */
export function replaceNodeResponses(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", (request, _reply, done) => {
    if (isClosing) done(shuttingDown());
    else if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") done(hostless());
    else done();
  });
  // RFC 9110, 10.1.1: unknown expectations may be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}

function shuttingDown(): AppError {
  return new AppError("service_unavailable", "This server is shutting down. Try again.", {
    data: { retryAfterSeconds: 1 },
  });
}

function hostless(): AppError {
  return new AppError("validation_failed", "The request has no Host header.");
}
