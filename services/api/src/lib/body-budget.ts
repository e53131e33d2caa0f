import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    bodyBytesHeld: number;
    /** Whose bytes they are: the organization whose key was checked before they were read. */
    bodyBytesOf: string | null;
  }
}

interface BodyBudgetLimits {
  bytesInFlightMax: number;
  bytesPerOrganizationMax: number;
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
 *
 * @param limits `bytesPerOrganizationMax` leaves the others room when one organization's uploads stand still
 */
export function registerBodyBudget(
  app: FastifyInstance,
  { bytesInFlightMax, bytesPerOrganizationMax }: BodyBudgetLimits,
): BodyBudget {
  let bytesInFlight = 0;
  const byOrganization = new Map<string | null, number>();
  const heldBy = (organizationId: string | null) => byOrganization.get(organizationId) ?? 0;
  const count = (organizationId: string | null, bytes: number) => {
    bytesInFlight += bytes;
    const held = heldBy(organizationId) + bytes;
    if (held === 0) byOrganization.delete(organizationId);
    else byOrganization.set(organizationId, held);
  };

  const budget: BodyBudget = {
    take(request, bytes) {
      const organizationId = request.actor?.organizationId ?? null;
      const isTooMuch =
        bytesInFlight + bytes > bytesInFlightMax || heldBy(organizationId) + bytes > bytesPerOrganizationMax;
      if (isTooMuch) {
        throw new AppError("service_unavailable", "Too many large requests at once. Try again shortly.", {
          data: { retryAfterSeconds: 1 },
        });
      }
      count(organizationId, bytes);
      request.bodyBytesHeld += bytes;
      request.bodyBytesOf = organizationId;
    },
    release(request) {
      if (request.bodyBytesHeld > 0) count(request.bodyBytesOf, -request.bodyBytesHeld);
      request.bodyBytesHeld = 0;
    },
    bytesInFlight: () => bytesInFlight,
  };
  app.decorateRequest("bodyBytesHeld", 0);
  app.decorateRequest("bodyBytesOf", null);
  app.addHook("onSend", (request, _reply, payload, done) => {
    budget.release(request);
    done(null, payload);
  });
  return budget;
}
