import { type Readiness, readinessResponse } from "@waymark/server/lib/readiness.ts";
import type { FastifyInstance } from "fastify";

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
export function registerHealthRoutes(
  app: FastifyInstance,
  { readiness }: { readiness: () => Promise<Readiness> },
): void {
  const plain = {
    schema: { hide: true },
    serializerCompiler: () => JSON.stringify,
    logLevel: "warn" as const,
  };

  app.get("/healthz", plain, async () => ({ status: "ok" }));

  app.get("/readyz", plain, async (_request, reply) => {
    const { status, body } = readinessResponse(await readiness());
    return reply.code(status).send(body);
  });
}
