import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    bodyBytesHeld: number;
    /** The organization of the key, which was checked before the body is read. */
    bodyBytesOf: string | null;
  }
}

interface BodyBudgetLimits {
  bytesInFlightMax: number;
  bytesPerOrganizationMax: number;
}

export interface BodyBudget {
  /** Counts bytes that the request now keeps in memory. @throws AppError `service_unavailable` above the limit */
  take(request: FastifyRequest, bytes: number): void;
  /** Releases all bytes of the request. */
  release(request: FastifyRequest): void;
  bytesInFlight(): number;
}

/**
 * Limits the bytes of request bodies in memory. The bytes of a complete body are released when its route has finished,
 * even if the client is gone: `onSend` runs in both cases, `onResponse` only if the client is connected. If reading a body
 * fails, its reader releases the bytes.
 *
 * @param limits `bytesPerOrganizationMax` keeps space for others while the uploads of one organization stall
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
