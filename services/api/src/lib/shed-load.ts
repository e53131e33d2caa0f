import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Load shedding: refuses requests below `/api` while too many others wait for the database. Checks when a request arrives
 * and, because receiving the body may take long, again before it is processed.
 */
export function shedLoad(
  app: FastifyInstance,
  { waiting, waitingMax }: { waiting: () => number; waitingMax: number },
): void {
  for (const hook of ["onRequest", "preHandler"] as const) {
    app.addHook(hook, async (request) => {
      if (waiting() < waitingMax || !request.url.startsWith("/api/")) return;
      throw new AppError("service_unavailable", "The server is overloaded right now. Try again shortly.", {
        data: { retryAfterSeconds: 1 },
      });
    });
  }
}
