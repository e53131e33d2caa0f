import { z } from "zod";
import { TeamSummary } from "../../principals/team-names/schema.ts";
import { Uuid } from "../../lib/schema.ts";
import { DecisionOnFinding, ExceededDecision, FindingFingerprint } from "../finding-decisions/schema.ts";
import { FindingAssignee } from "../finding-assignments/schema.ts";
import { FindingCounts, FindingDeadline, FindingId, HttpMethod, Severity } from "../schema.ts";

/** The most rules and services that a summary names. */
export const SUMMARY_ROWS_MAX = 200;

/** The most findings that one export has. */
export const EXPORT_FINDINGS_MAX = 100_000;

/** The most characters of a text to search for. */
export const FINDING_SEARCH_MAX = 200;

export const FindingAge = z.enum(["today", "week", "month", "older"]).meta({
  id: "FindingAge",
  description:
    "When a stored scan of the service first had the finding, in days of UTC: `today`, in the last 7 (`week`) or 30 days (`month`), " +
    "both with today, or before.",
});
export type FindingAge = z.infer<typeof FindingAge>;

/** The number of days after today in which a finding is due soon. */
export const DUE_SOON_DAYS = 7;

export const FindingDue = z.enum(["overdue", "soon"]).meta({
  id: "FindingDue",
  description: `Open findings with a deadline, in days of UTC: \`overdue\`, due before today; \`soon\`, due today or in the ${DUE_SOON_DAYS} days after it.`,
});
export type FindingDue = z.infer<typeof FindingDue>;

export const ExportFormat = z.enum(["csv", "json", "sarif"]);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** A finding of some service's current run. */
export const CurrentFinding = z
  .object({
    id: FindingId,
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    scanRunId: Uuid.meta({ description: "The service's current run." }),
    index: z.int().min(0).meta({ description: "The finding's place in the run, in submitted order from 0." }),
    code: z.string(),
    severity: Severity,
    message: z.string(),
    method: HttpMethod.nullable(),
    path: z.string().nullable(),
    fingerprint: FindingFingerprint,
    decision: DecisionOnFinding,
    exceededDecision: ExceededDecision,
    assignee: FindingAssignee.nullable().meta({ description: "Null: the finding is assigned to nobody." }),
    ...FindingDeadline.shape,
  })
  .meta({ id: "CurrentFinding" });
export type CurrentFinding = z.infer<typeof CurrentFinding>;

export const CurrentFindingPage = z
  .object({ findings: z.array(CurrentFinding), nextCursor: z.string().optional() })
  .meta({ id: "CurrentFindingPage" });
export type CurrentFindingPage = z.infer<typeof CurrentFindingPage>;

export const RuleCount = z
  .object({
    code: z.string(),
    severity: Severity.meta({ description: "The worst of its findings." }),
    findingCount: z.int(),
    serviceCount: z.int(),
  })
  .meta({ id: "RuleCount" });
export type RuleCount = z.infer<typeof RuleCount>;

export const ServiceFindingCount = z
  .object({ serviceId: Uuid, serviceName: z.string(), findingCount: z.int() })
  .meta({ id: "ServiceFindingCount" });
export type ServiceFindingCount = z.infer<typeof ServiceFindingCount>;

export const FindingSummary = z
  .object({
    findingCount: z.int().meta({ description: "The findings that pass all filters." }),
    findingsBySeverity: FindingCounts.meta({ description: "Those that pass the other filters." }),
    findingsByState: z
      .object({ open: z.int(), decided: z.int() })
      .meta({ description: "Those that pass the other filters." }),
    findingsByAge: z
      .object({ today: z.int(), week: z.int(), month: z.int(), older: z.int() })
      .meta({ description: "Those that pass the other filters. `week` has `today`, and `month` has both." }),
    findingsByDue: z
      .object({ overdue: z.int(), soon: z.int() })
      .meta({ description: "Those that pass the other filters." }),
    rules: z.array(RuleCount).meta({
      description: `The worst ${SUMMARY_ROWS_MAX} rules, by severity and count, of findings that pass the other filters.`,
    }),
    ruleCount: z.int(),
    services: z.array(ServiceFindingCount).meta({
      description: `The ${SUMMARY_ROWS_MAX} services with the most findings that pass the other filters.`,
    }),
    serviceCount: z.int(),
  })
  .meta({ id: "FindingSummary" });
export type FindingSummary = z.infer<typeof FindingSummary>;
