import { z } from "zod";
import { KeyOwner } from "../api-keys/schema.ts";
import { boundedArray, IsoDateTime, text, Uuid } from "../lib/schema.ts";
import { HTTP_METHODS, SCAN_LIMITS, SEVERITIES } from "./limits.ts";
import { serviceNameProblem } from "../lib/service-name.ts";
import { TeamSummary } from "../principals/team-names/schema.ts";
import { Comparison, Verdict } from "./comparisons/schema.ts";
import { DecisionOnFinding, ExceededDecision, FindingFingerprint } from "./finding-decisions/schema.ts";
import { RunGate } from "./gates/schema.ts";
import { ScanSource } from "./source/schema.ts";

/** The number of findings at which a scan may have left out others. */
export const FINDINGS_MAX = SCAN_LIMITS.findingsMax;

export const HttpMethod = z.enum(HTTP_METHODS).meta({ id: "HttpMethod" });
export type HttpMethod = z.infer<typeof HttpMethod>;

export const Severity = z.enum(SEVERITIES).meta({ id: "Severity" });
export type Severity = z.infer<typeof Severity>;

export const NormalizedEndpoint = z
  .strictObject({
    method: HttpMethod,
    path: text({ max: SCAN_LIMITS.pathMax }),
    operationId: text({ max: SCAN_LIMITS.operationIdMax }).nullable(),
    tags: boundedArray(text(), SCAN_LIMITS.tagsMax),
    summary: text({ max: SCAN_LIMITS.summaryMax }).nullable(),
  })
  .meta({ id: "NormalizedEndpoint" });
export type NormalizedEndpoint = z.infer<typeof NormalizedEndpoint>;

export const NormalizedFinding = z
  .strictObject({
    code: text({ max: SCAN_LIMITS.codeMax }),
    severity: Severity,
    message: text({ max: SCAN_LIMITS.messageMax }),
    method: HttpMethod.nullable(),
    path: text({ max: SCAN_LIMITS.pathMax }).nullable(),
  })
  .meta({ id: "NormalizedFinding" });
export type NormalizedFinding = z.infer<typeof NormalizedFinding>;

export const ScanSpec = z
  .strictObject({
    hash: text({ min: SCAN_LIMITS.specHashLength, max: SCAN_LIMITS.specHashLength }),
    format: z.enum(["openapi"]),
    version: text({ max: SCAN_LIMITS.specVersionMax }).optional(),
    title: text({ max: SCAN_LIMITS.specTitleMax }).optional(),
  })
  .meta({ id: "ScanSpec" });
export type ScanSpec = z.infer<typeof ScanSpec>;

export const ServiceName = text({ min: 1, max: SCAN_LIMITS.serviceNameMax })
  .check((ctx) => {
    const problem = serviceNameProblem(ctx.value);
    if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
  })
  .meta({
    minLength: 1,
    maxLength: SCAN_LIMITS.serviceNameMax,
    description:
      "The service to create or update. One line in Unicode's composed form (NFC), without white space at its ends, invisible characters and white space other than spaces.",
  });

/** The payload with unvalidated lists, which is validated before the items; see `parseScanPayload`. */
export const ScanPayloadEnvelope = z.strictObject({
  service: z.strictObject({ name: ServiceName }),
  spec: ScanSpec,
  endpoints: z
    .array(z.unknown())
    .max(SCAN_LIMITS.endpointsMax, `must have at most ${SCAN_LIMITS.endpointsMax} items`),
  findings: z
    .array(z.unknown())
    .max(SCAN_LIMITS.findingsMax, `must have at most ${SCAN_LIMITS.findingsMax} items`),
});

export const ScanIngestionPayload = ScanPayloadEnvelope.extend({
  endpoints: z.array(NormalizedEndpoint).max(SCAN_LIMITS.endpointsMax),
  findings: z.array(NormalizedFinding).max(SCAN_LIMITS.findingsMax),
}).meta({ id: "ScanIngestionPayload", description: "One normalized scan of an OpenAPI description." });
export type ScanIngestionPayload = z.infer<typeof ScanIngestionPayload>;

export const ScanRunStatus = z.enum(["accepted", "completed", "failed"]).meta({ id: "ScanRunStatus" });
export type ScanRunStatus = z.infer<typeof ScanRunStatus>;

export const ScanIngestionResult = z
  .object({
    scanRunId: Uuid,
    serviceId: Uuid,
    status: z.enum(["accepted", "completed"]),
    endpointCount: z.int().min(0).max(SCAN_LIMITS.endpointsMax),
    findingCount: z.int().min(0).max(SCAN_LIMITS.findingsMax),
    unchanged: z
      .boolean()
      .meta({ description: "The content is the same as that of the service's current run." }),
    resultUrl: z.url(),
    createdAt: IsoDateTime,
  })
  .meta({ id: "ScanIngestionResult" });
export type ScanIngestionResult = z.infer<typeof ScanIngestionResult>;

export const ScanRunError = z.object({ code: z.string(), message: z.string() }).meta({ id: "ScanRunError" });

/** The number of findings of each severity. */
export const FindingCounts = z.object({
  info: z.int(),
  low: z.int(),
  medium: z.int(),
  high: z.int(),
  critical: z.int(),
});

export const ScanRun = z
  .object({
    id: Uuid,
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service now." }),
    status: ScanRunStatus,
    spec: z.object({
      hash: z.string(),
      format: z.enum(["openapi"]),
      version: z.string().nullable(),
      title: z.string().nullable(),
    }),
    endpointCount: z.int().min(0),
    findingCount: z.int().min(0),
    findingsBySeverity: FindingCounts.nullable().meta({ description: "Null until the run is completed." }),
    unchanged: z.boolean(),
    promoted: z.boolean().meta({
      description:
        "False for a run that was submitted with Waymark-Promote: false, until it is promoted. " +
        "Only promoted runs become their service's current run.",
    }),
    source: ScanSource.nullable().meta({
      description:
        "What the client says in Waymark-Branch, Waymark-Commit and the other headers of a source; null if it says nothing.",
    }),
    gates: z.array(RunGate).nullable().meta({
      description:
        "The gates that its client judged it by; null if it has sent no verdict. `GET …/gates` has what failed.",
    }),
    createdByKeyId: Uuid,
    creator: KeyOwner,
    createdAt: IsoDateTime.meta({ description: "When the server received the scan." }),
    scannedAt: IsoDateTime.meta({
      description:
        "The time of the scan, by which the runs of a service are ordered: that of Scanned-At if it is before createdAt, otherwise createdAt.",
    }),
    completedAt: IsoDateTime.nullable(),
    error: ScanRunError.nullable(),
  })
  .meta({ id: "ScanRun" });
export type ScanRun = z.infer<typeof ScanRun>;

/** For how long a promotion can be undone. */
export const PROMOTION_UNDO_MINUTES = 10;

/** The differences between a run and the run that it is compared with. */
export const ScanChanges = z
  .object({
    scanRunId: Uuid,
    against: Uuid.nullable().meta({
      description: "Null if there is no earlier run. Then everything is added.",
    }),
    previous: Uuid.nullable().meta({
      description:
        "The run before it, of which its approvals and its broken journeys are. Another one than `against` where that was asked for.",
    }),
    endpoints: z.object({
      added: z.array(NormalizedEndpoint),
      removed: z.array(NormalizedEndpoint),
      changed: z.array(z.object({ before: NormalizedEndpoint, after: NormalizedEndpoint })),
    }),
    findings: z.object({
      new: z.array(NormalizedFinding),
      fixed: z.array(NormalizedFinding).meta({
        description: "Findings that disappeared while their endpoint stayed, or that belong to no endpoint.",
      }),
      removedWithEndpoint: z.array(NormalizedFinding).meta({
        description:
          "Findings that disappeared with their endpoint: `endpoints.removed` has one with their method and path. They are not fixed.",
      }),
      severityChanged: z.array(z.object({ before: NormalizedFinding, after: NormalizedFinding })),
    }),
    comparison: Comparison.meta({
      description: "Whether the descriptions of both runs were compared, and how many changes break clients.",
    }),
    verdicts: z.array(Verdict).meta({
      description: "The changes of the description, the most severe first: a page of them.",
    }),
    nextCursor: z.string().optional().meta({ description: "For the next verdicts." }),
  })
  .meta({ id: "ScanChanges" });
export type ScanChanges = z.infer<typeof ScanChanges>;

/** An endpoint of a service's current run, with when it was first and last seen. */
export const ServiceEndpoint = NormalizedEndpoint.omit({ tags: true })
  .extend({
    tags: z.array(z.string()),
    firstSeenAt: IsoDateTime,
    lastSeenAt: IsoDateTime,
  })
  .meta({ id: "ServiceEndpoint" });
export type ServiceEndpoint = z.infer<typeof ServiceEndpoint>;

export const ServiceEndpointPage = z
  .object({ endpoints: z.array(ServiceEndpoint), nextCursor: z.string().optional() })
  .meta({ id: "ServiceEndpointPage" });

export const FindingId = Uuid.meta({
  description:
    "The same in every run of the service: it follows from the service, the code, the method, the path and the message.",
});

/** A finding of a run. */
export const RunFinding = NormalizedFinding.omit({})
  .extend({
    id: FindingId,
    fingerprint: FindingFingerprint,
    decision: DecisionOnFinding,
    exceededDecision: ExceededDecision,
  })
  .meta({ id: "RunFinding" });
export type RunFinding = z.infer<typeof RunFinding>;

export const EndpointPage = z
  .object({ endpoints: z.array(NormalizedEndpoint), nextCursor: z.string().optional() })
  .meta({ id: "EndpointPage" });
export const FindingPage = z
  .object({ findings: z.array(RunFinding), nextCursor: z.string().optional() })
  .meta({ id: "FindingPage" });
/** Until when a finding is to be fixed. */
export const FindingDeadline = z.object({
  dueOn: z.iso
    .date()
    .nullable()
    .meta({
      description:
        "The last day (UTC) on which it is not overdue: the one when the service first had it, and the days that the severity policy gives its " +
        "severity. Null without a deadline, as in runs that are not current.",
    }),
  isOverdue: z
    .boolean()
    .meta({ description: "True if that day has passed, and no decision covers it today." }),
});
export type FindingDeadline = z.infer<typeof FindingDeadline>;

/** One finding of a run, and since when its service has it. */
export const FindingDetails = z
  .object({
    finding: RunFinding,
    firstSeenAt: IsoDateTime.meta({
      description:
        "When a stored scan of the service first had it: the same code, method, path and message, of any severity.",
    }),
    lastSeenAt: IsoDateTime.meta({ description: "When a scan of the service last had it." }),
    ...FindingDeadline.shape,
    documentationUrl: z.url().nullable().meta({
      description: "The page that explains the rule; null if Waymark does not know the rule.",
    }),
  })
  .meta({ id: "FindingDetails" });
export type FindingDetails = z.infer<typeof FindingDetails>;

export const ScanRunPage = z
  .object({ scanRuns: z.array(ScanRun), nextCursor: z.string().optional() })
  .meta({ id: "ScanRunPage" });
