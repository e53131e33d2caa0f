import type { AuditOrigin } from "@waymark/shared/audit/queries.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "./authenticate.ts";

/** Who makes this request and from where, as the audit record keeps it. */
export function auditOriginOf(request: FastifyRequest): AuditOrigin {
  return { actorKeyId: actorOf(request).apiKeyId, address: request.ip, requestId: request.id };
}
