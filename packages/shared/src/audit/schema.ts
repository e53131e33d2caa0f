import { z } from "zod";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

export const AuditAction = z
  .enum([
    "api_key.created",
    "api_key.rotated",
    "api_key.revoked",
    "api_key.disabled",
    "api_key.enabled",
    "api_key.use_denied",
  ])
  .meta({ id: "AuditAction" });
export type AuditAction = z.infer<typeof AuditAction>;

/** Something that was done to a key, or that a key was refused. It never holds a secret. */
export const AuditEvent = z
  .object({
    id: Uuid,
    action: AuditAction,
    actorKeyId: Uuid.nullable().meta({ description: "The key that did it; null for the operator." }),
    apiKeyId: Uuid.meta({ description: "The key that it was done to." }),
    route: z.string().nullable().meta({ description: "Of a denied use: method and path pattern." }),
    code: z.string().nullable().meta({ description: "Of a denied use: the error code answered." }),
    details: z.record(z.string(), z.unknown()),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    createdAt: IsoDateTime,
  })
  .meta({ id: "AuditEvent" });
export type AuditEvent = z.infer<typeof AuditEvent>;

export const AuditEventPage = z
  .object({ auditEvents: z.array(AuditEvent), nextCursor: z.string().optional() })
  .meta({ id: "AuditEventPage" });
