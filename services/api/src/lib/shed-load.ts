import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Refuses requests below `/api` while so many others wait for the database that a further one would only make
 * all of them late. Looked at when a request arrives and, since a body may take its time, again before it is worked on:
 * clients that send slowly hold nobody up.
 */
export function shedLoad(
  app: FastifyInstance,
  { waiting, waitingMax }: { waiting: () => number; waitingMax: number },
): void {
  for (const hook of ["onRequest", "preHandler"] as const) {
    app.addHook(hook, async (request) => {
      if (waiting() < waitingMax || !request.url.startsWith("/api/")) return;
      throw new AppError("service_unavailable", "The server is at its limit right now. Try again shortly.", {
        data: { retryAfterSeconds: 1 },
      });
    });
  }
}
