import type { AuditAction, AuditEvent } from "@waymark/shared/audit/schema.ts";

/** The label of each action of the audit log. */
export const ACTIONS: Readonly<Record<AuditAction, string>> = {
  "api_key.created": "Key created",
  "api_key.extended": "Key of sessions extended",
  "api_key.rotated": "Key rotated",
  "api_key.revoked": "Key revoked",
  "api_key.disabled": "Key disabled",
  "api_key.enabled": "Key enabled",
  "api_key.use_denied": "Request refused",
  "principal.created": "User or service account created",
  "principal.renamed": "User or service account renamed",
  "principal.disabled": "User or service account disabled",
  "principal.enabled": "User or service account enabled",
  "principal.linked": "Sign-in linked to a user",
  "identity_provider.created": "Identity provider added",
  "identity_provider.updated": "Identity provider changed",
  "identity_provider.deleted": "Identity provider deleted",
  "identity_provider.limit_reached": "Groups give more than a limit allows",
  "invitation.created": "Person invited",
  "invitation.deleted": "Invitation withdrawn",
  "invitation.accepted": "Invitation accepted",
  "role.set": "Role set",
  "role.deleted": "Role deleted",
  "role.granted": "Role granted",
  "role.revoked": "Role taken away",
  "team.created": "Team created",
  "team.updated": "Team changed",
  "team.deleted": "Team deleted",
  "team.member_added": "Member added to a team",
  "team.member_removed": "Member removed from a team",
  "saved_view.created": "View saved for a team",
  "saved_view.updated": "View of a team changed",
  "saved_view.deleted": "View of a team removed",
  "trust_policy.created": "Trust policy created",
  "trust_policy.updated": "Trust policy changed",
  "trust_policy.deleted": "Trust policy deleted",
  "token.exchanged": "Key issued to a build",
  "organization.created": "Organization created",
  "organization.updated": "Organization changed",
  "scan_run.promoted": "Scan run promoted",
  "scan_run.promotion_undone": "Promotion undone",
  "service.updated": "Service changed",
  "service.deleted": "Service deleted",
  "service_badge.created": "Badge created",
  "service_badge.deleted": "Badge deleted",
  "change_approval.created": "Changes approved",
  "change_approval.deleted": "Approval ended",
  "finding_decision.created": "Finding decided",
  "finding_decision.deleted": "Decision about a finding revoked",
  "finding_comment.created": "Finding commented",
  "finding_comment.deleted": "Comment on a finding deleted",
  "journey_run_link.created": "Link to a run created",
  "journey_run_link.ended": "Link to a run ended",
  "scan_run_comment.created": "Scan run commented",
  "scan_run_comment.updated": "Comment on a scan run changed",
  "scan_run_comment.deleted": "Comment on a scan run deleted",
  "finding.assigned": "Finding assigned",
  "finding.unassigned": "Assignment of a finding ended",
  "severity_policy.updated": "Severity policy changed",
  "environment.created": "Environment created",
  "environment.updated": "Environment changed",
  "environment.deleted": "Environment deleted",
  "secret.set": "Secret set",
  "secret.deleted": "Secret deleted",
  "secret.used": "Secret used",
  "journey.released": "Journey released",
  "journey.release_deleted": "Release taken back",
  "journey_result.secret_found": "Uploaded result had a secret",
  "journey_schedule.created": "Schedule created",
  "journey_schedule.updated": "Schedule changed",
  "journey_schedule.paused": "Schedule paused",
  "journey_schedule.resumed": "Schedule resumed",
  "journey_schedule.deleted": "Schedule deleted",
  "session.created": "Signed in",
  "session.ended": "Signed out",
  "rate_limit.exceeded": "Rate limit exceeded",
};

/** Returns the route and the error of a refused request, followed by the event's own details. */
export function describeDetails({ route, code, details }: AuditEvent): string {
  const own = Object.entries(details).map(([name, value]) => `${name}: ${inWords(value)}`);
  return [route, code, ...own].filter(Boolean).join(", ");
}

/** Returns the actor of an event: a person or a service account by its name, a key by its name, the operator, or a schedule. */
export function describeActor(
  { actor, actorKeyId, details }: Pick<AuditEvent, "actor" | "actorKeyId" | "details">,
  nameOf: (apiKeyId: string) => string,
): string {
  if (actor?.displayName !== undefined && actor.displayName !== null) return actor.displayName;
  if (actorKeyId !== null) return nameOf(actorKeyId);
  if (details["by"] === "operator") return "the operator";
  if (details["by"] === "trust_policy") return "a build";
  return details["by"] === "schedule" ? "a schedule" : "not recorded";
}

/** Returns the address of the run that caused an event; undefined if none did. */
export function runOf({ details: { runId } }: Pick<AuditEvent, "details">): string | undefined {
  return typeof runId === "string" ? `/journey-runs/${encodeURIComponent(runId)}` : undefined;
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
