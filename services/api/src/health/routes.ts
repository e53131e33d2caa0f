import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { checkReadiness } from "@waymark/shared/db/readiness.ts";
import type { ScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import type { FastifyInstance } from "fastify";

/** `/healthz`: the process lives. `/readyz`: database, migrations, role and queue are usable. */
export function registerHealthRoutes(
  app: FastifyInstance,
  { db, queue }: { db: DatabasePool; queue: ScanQueue },
): void {
  const plain = {
    schema: { hide: true },
    serializerCompiler: () => JSON.stringify,
    logLevel: "warn" as const,
  };

  app.get("/healthz", plain, async () => ({ status: "ok" }));

  app.get("/readyz", plain, async (_request, reply) => {
    const [database, queueUsable] = await Promise.all([checkReadiness(db), queue.isUsable()]);
    const checks = { database, queue: queueUsable ? "ok" : "can't be reached" };
    const ready = database === "ok" && queueUsable;
    return reply.code(ready ? 200 : 503).send({ status: ready ? "ok" : "unavailable", checks });
  });
}
