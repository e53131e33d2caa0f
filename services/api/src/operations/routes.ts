import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { openObservedQueues } from "@waymark/server/queue/observed-queues.ts";
import type { FastifyInstance } from "fastify";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";

const PREFIX = "/operations/queues";
/** Its page names a font of another site and styles in its text: browsers load and apply neither. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "form-action 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Serves bull-board, which shows the queues on Redis and changes nothing. Queues have the ids of every organization's runs, so
 * only keys and sessions of the operator's organization with `operations:read` see them.
 */
export async function registerQueueBoard(
  app: FastifyInstance,
  {
    authenticate,
    redisUrl,
    organizationId,
    basePath,
  }: { authenticate: Authenticate; redisUrl: string; organizationId: string; basePath: string },
): Promise<void> {
  const observed = openObservedQueues(redisUrl, (error) =>
    app.log.debug({ err: error }, "the queues' page: Redis connection error"),
  );
  app.addHook("onClose", () => observed.close());
  const board = new FastifyAdapter();
  board.setBasePath(basePath + PREFIX);
  createBullBoard({
    queues: observed.queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: board,
    options: { uiConfig: { boardTitle: "Waymark's queues" } },
  });
  // Its own would show stack traces; thrown again, errors get the api's form.
  board.setErrorHandler((error) => {
    throw error;
  });
  await app.register(async (scope) => {
    scope.addHook("onRequest", authenticate);
    scope.addHook("onRequest", async (request, reply) => {
      const actor = actorOf(request);
      authorize(actor, "operations:read", {});
      if (actor.organizationId !== organizationId) {
        throw new AppError(
          "permission_denied",
          "Only the operator's organization sees the queues, which are all organizations'.",
        );
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw new AppError("permission_denied", "The queues can be looked at here, and not changed.");
      }
      reply.headers({
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "referrer-policy": "same-origin",
      });
    });
    await scope.register(board.registerPlugin(), { prefix: PREFIX });
  });
}
