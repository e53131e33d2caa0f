import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    bodyBytesHeld: number;
  }
}

export interface BodyBudget {
  /** Counts bytes that the request holds from now on. @throws AppError `service_unavailable` above the limit */
  take(request: FastifyRequest, bytes: number): void;
  /** Gives back all that the request holds. */
  release(request: FastifyRequest): void;
  bytesInFlight(): number;
}

/**
 * Counts the bytes of request bodies that the process holds at one moment. A body that was read whole is given back
 * when its route is done with it, whether or not there is still a client to answer: `onSend` runs in both cases,
 * `onResponse` only for a client that is there. Whoever fails to read a body gives back what was read.
 */
export function registerBodyBudget(
  app: FastifyInstance,
  { bytesInFlightMax }: { bytesInFlightMax: number },
): BodyBudget {
  let bytesInFlight = 0;
  const budget: BodyBudget = {
    take(request, bytes) {
      if (bytesInFlight + bytes > bytesInFlightMax) {
        throw new AppError("service_unavailable", "Too many large requests at once. Try again shortly.", {
          data: { retryAfterSeconds: 1 },
        });
      }
      bytesInFlight += bytes;
      request.bodyBytesHeld += bytes;
    },
    release(request) {
      bytesInFlight -= request.bodyBytesHeld;
      request.bodyBytesHeld = 0;
    },
    bytesInFlight: () => bytesInFlight,
  };
  app.decorateRequest("bodyBytesHeld", 0);
  app.addHook("onSend", (request, _reply, payload, done) => {
    budget.release(request);
    done(null, payload);
  });
  return budget;
}
