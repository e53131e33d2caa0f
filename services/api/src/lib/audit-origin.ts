import type { AuditOrigin } from "@waymark/server/audit/queries.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "./authenticate.ts";

/** The actor and the address of a request, for the audit record. */
export function auditOriginOf(request: FastifyRequest): AuditOrigin {
  return { actorKeyId: actorOf(request).apiKeyId, address: request.ip, requestId: request.id };
}
