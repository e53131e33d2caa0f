import { z } from "zod";
import { PrincipalSummary } from "../api-keys/schema.ts";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

/** Later versions add actions, so readers must ignore unknown ones. */
export const AuditAction = z
  .enum([
    "api_key.created",
    "api_key.rotated",
    "api_key.extended",
    "api_key.revoked",
    "api_key.disabled",
    "api_key.enabled",
    "api_key.use_denied",
    "principal.created",
    "principal.renamed",
    "principal.disabled",
    "principal.enabled",
    "principal.linked",
    "identity_provider.created",
    "identity_provider.updated",
    "identity_provider.deleted",
    "identity_provider.limit_reached",
    "invitation.created",
    "invitation.deleted",
    "invitation.accepted",
    "role.set",
    "role.deleted",
    "role.granted",
    "role.revoked",
    "team.created",
    "team.updated",
    "team.deleted",
    "team.member_added",
    "team.member_removed",
    "saved_view.created",
    "saved_view.updated",
    "saved_view.deleted",
    "trust_policy.created",
    "trust_policy.updated",
    "trust_policy.deleted",
    "token.exchanged",
    "organization.created",
    "organization.updated",
    "scan_run.promoted",
    "scan_run.promotion_undone",
    "service.updated",
    "service.deleted",
    "service_badge.created",
    "service_badge.deleted",
    "change_approval.created",
    "change_approval.deleted",
    "finding_decision.created",
    "finding_decision.deleted",
    "finding_comment.created",
    "finding_comment.deleted",
    "journey_run_link.created",
    "journey_run_link.ended",
    "scan_run_comment.created",
    "scan_run_comment.updated",
    "scan_run_comment.deleted",
    "finding.assigned",
    "finding.unassigned",
    "severity_policy.updated",
    "environment.created",
    "environment.updated",
    "environment.deleted",
    "secret.set",
    "secret.deleted",
    "secret.used",
    "journey.released",
    "journey.release_deleted",
    "journey_result.secret_found",
    "journey_schedule.created",
    "journey_schedule.updated",
    "journey_schedule.paused",
    "journey_schedule.resumed",
    "journey_schedule.deleted",
    "session.created",
    "session.ended",
    "rate_limit.exceeded",
  ])
  .meta({ id: "AuditAction", description: "What happened. More actions may be added: ignore unknown ones." });
export type AuditAction = z.infer<typeof AuditAction>;

/** An action in an organization, or a refused request of a key. It never contains a secret. */
export const AuditEvent = z
  .object({
    id: Uuid,
    action: AuditAction,
    actorKeyId: Uuid.nullable().meta({
      description:
        "The acting key. Null for the operator (details.by is then `operator`), for a schedule (details.by is then " +
        "`schedule`, and details.scheduleId names it), and for a workload (`trust_policy` and details.trustPolicyId).",
    }),
    actor: PrincipalSummary.nullable().meta({
      description: "The user or the service account to which the acting key belongs. Null for other keys.",
    }),
    apiKeyId: Uuid.nullable().meta({
      description: "The affected key; null if the event concerns none, such as a promotion.",
    }),
    route: z.string().nullable().meta({ description: "Of a refused request: method and path pattern." }),
    code: z.string().nullable().meta({ description: "Of a denied use: the error code of the response." }),
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
