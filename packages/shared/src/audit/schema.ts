import { z } from "zod";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

/** The list grows with time: a reader passes over actions that it does not know. */
export const AuditAction = z
  .enum([
    "api_key.created",
    "api_key.rotated",
    "api_key.revoked",
    "api_key.disabled",
    "api_key.enabled",
    "api_key.use_denied",
    "organization.created",
    "scan_run.promoted",
    "session.created",
    "session.ended",
    "rate_limit.exceeded",
  ])
  .meta({ id: "AuditAction", description: "What happened. More actions may be added: ignore unknown ones." });
export type AuditAction = z.infer<typeof AuditAction>;

/** Something that was done in an organization, or that a key was refused. It never holds a secret. */
export const AuditEvent = z
  .object({
    id: Uuid,
    action: AuditAction,
    actorKeyId: Uuid.nullable().meta({
      description: "The key that did it; null for the operator (details.by is then `operator`).",
    }),
    apiKeyId: Uuid.nullable().meta({
      description: "The key that it was done to; null where it concerns none, such as a promotion.",
    }),
    route: z.string().nullable().meta({ description: "Of a refused request: method and path pattern." }),
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
