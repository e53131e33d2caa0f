import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Gives the api's own answers, with its headers and its error shape, in three places where Node or Fastify would answer
 * by themselves: no `Host` header (`requireHostHeader: false`), a process that is shutting down (`return503OnClosing:
 * false`), and an `Expect` header that nobody knows.
 */
export function answerInPlaceOfNode(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async (request) => {
    if (isClosing) {
      throw new AppError("service_unavailable", "This server is shutting down. Try again.", {
        data: { retryAfterSeconds: 1 },
      });
    }
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") {
      throw new AppError("validation_failed", "The request has no Host header.");
    }
  });
  // RFC 9110, 10.1.1: an expectation that is not known may be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}
