import { z } from "zod";
import { carriesCredentials } from "../lib/carries-credentials.ts";
import { countCharacters, IsoDateTime, text, Uuid } from "../lib/schema.ts";
import { TEAM_LIMITS } from "../principals/teams/limits.ts";
import { TeamSummary } from "../principals/team-names/schema.ts";
import { Comparison } from "../scans/comparisons/schema.ts";
import { FindingCounts, ScanRunError, ServiceName } from "../scans/schema.ts";
import { BranchName, ScanSource } from "../scans/source/schema.ts";
import { Labels } from "./labels/schema.ts";

/** A promoted run's counts: one point of a service's trend. */
export const TrendPoint = z
  .object({
    scanRunId: Uuid,
    scannedAt: IsoDateTime,
    endpointCount: z.int().min(0),
    findingCount: z.int().min(0),
  })
  .meta({ id: "TrendPoint" });
export type TrendPoint = z.infer<typeof TrendPoint>;

export const TREND_RUNS_MAX = 50;

const OF_CHANGES =
  "Scans that were not promoted because they are of a pull request, a tag or another branch than the default one don't count.";

/** The most aliases of a service. */
export const ALIASES_MAX = 50;
const LINK_CHARS_MAX = 2_000;

/** A page about a service. Everybody who may read the service sees it. */
const Link = z
  .url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
  .refine(
    (value) => countCharacters(value) <= LINK_CHARS_MAX,
    `must be at most ${LINK_CHARS_MAX} characters long`,
  )
  .refine((value) => !carriesCredentials(value), "must not contain a user name, a password or a token")
  .nullable()
  .default(null)
  .meta({ maxLength: LINK_CHARS_MAX });

/** Pages about a service. */
export const ServiceLinks = z
  .strictObject({
    repository: Link.describe("The source code."),
    documentation: Link.describe("The documentation for its clients."),
    onCall: Link.describe("Whom to call if it fails."),
  })
  .meta({ id: "ServiceLinks" });
export type ServiceLinks = z.infer<typeof ServiceLinks>;

export const Service = z
  .object({
    id: Uuid,
    name: z.string(),
    aliases: z.array(z.string()).meta({
      description:
        "Its other names, such as those that it had before. A scan under one of them is a scan of the service.",
    }),
    createdAt: IsoDateTime,
    archivedAt: IsoDateTime.nullable().meta({
      description: "When it was archived: lists, searches and totals leave it out. Null if it is not.",
    }),
    labels: Labels,
    links: ServiceLinks,
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns it; null if none does." }),
    currentScanRunId: Uuid.nullable().meta({
      description: "The newest promoted run; null before the first.",
    }),
    lastScannedAt: IsoDateTime.nullable(),
    endpointCount: z.int().min(0).nullable().meta({ description: "Of the current run." }),
    findingCount: z.int().min(0).nullable().meta({ description: "Of the current run." }),
    findingsBySeverity: FindingCounts.nullable().meta({
      description: "Of the current run, open and decided ones.",
    }),
    decidedBySeverity: FindingCounts.nullable().meta({
      description: "Those of `findingsBySeverity` that a decision covers today.",
    }),
    overdueFindingCount: z.int().min(0).nullable().meta({
      description:
        "The open findings of the current run whose deadline has passed. 0 for an archived service.",
    }),
    defaultBranch: z.string().nullable().meta({
      description: "The branch whose runs become current in a pipeline; null if it is not known.",
    }),
    defaultBranchIsSet: z.boolean().meta({
      description: "True if `defaultBranch` was set; otherwise it is the one that its scans name.",
    }),
    lastFailedScan: z
      .object({ scanRunId: Uuid, scannedAt: IsoDateTime, error: ScanRunError })
      .nullable()
      .meta({
        description: `The newest scan that is stored or failed, if it failed. ${OF_CHANGES}`,
      }),
    lastHeldScan: z
      .object({
        scanRunId: Uuid,
        scannedAt: IsoDateTime,
        source: ScanSource.nullable(),
        failedGates: z.array(z.string()).meta({ description: "The gates that failed, as its client says." }),
      })
      .nullable()
      .meta({
        description: `The newest scan that is stored or failed, if it is stored and was not promoted. ${OF_CHANGES}`,
      }),
    trend: z.array(TrendPoint).optional().meta({
      description: "The last completed runs that were promoted, oldest first. Only if requested.",
    }),
  })
  .meta({ id: "Service" });
export type Service = z.infer<typeof Service>;

/** A change of a service. A field that is left out stays as it is. */
export const ServiceUpdate = z
  .strictObject({
    name: ServiceName.optional().meta({
      description:
        "The name that it is shown by. The name before becomes an alias, unless `aliases` are given. Needs services:create for the new name.",
    }),
    aliases: z.array(ServiceName).max(ALIASES_MAX).optional().meta({
      description:
        "All other names, in the place of the present ones. Needs services:create for each new one. A scan under a name that is left out creates a service.",
    }),
    archived: z.boolean().optional().meta({ description: "True archives the service, false restores it." }),
    labels: Labels.optional().meta({ description: "All labels, in the place of the present ones." }),
    links: ServiceLinks.optional().meta({ description: "All links, in the place of the present ones." }),
    ownerTeam: text({ min: 1, max: TEAM_LIMITS.handleMax })
      .nullable()
      .optional()
      .meta({
        description:
          "The team that owns it: its slug, or one of its handles, such as @acme/payments. Null for no owner. The calling key needs, for this service, " +
          "every permission of the roles that are for what the new owner or the present one owns.",
      }),
    defaultBranch: BranchName.nullable().optional().meta({
      description:
        "The branch whose runs become current in a pipeline. Null for the one that its scans name: that of the current run, else of the last scan.",
    }),
  })
  .meta({ id: "ServiceUpdate" });
export type ServiceUpdate = z.infer<typeof ServiceUpdate>;

export const ServicePage = z
  .object({ services: z.array(Service), nextCursor: z.string().optional() })
  .meta({ id: "ServicePage" });

const Count = z.int().min(0);

/** How a promoted run changed what its service offers, compared with the promoted run before it. */
export const ServiceChange = z
  .object({
    scanRunId: Uuid,
    against: Uuid.nullable().meta({ description: "The promoted run before it; null for the first." }),
    scannedAt: IsoDateTime,
    createdByKeyId: Uuid,
    source: ScanSource.nullable(),
    endpoints: z.object({ added: Count, removed: Count, changed: Count }).meta({
      description: "An endpoint whose path parameters were renamed is changed, not removed and added.",
    }),
    findings: z
      .object({ new: Count, fixed: Count, removedWithEndpoint: Count, severityChanged: Count })
      .meta({ description: "A finding that disappeared with its endpoint is not fixed." }),
    breaking: Count.meta({
      description:
        "How many endpoints were removed, or have another operationId. A renamed path parameter is neither. `comparison` says what breaks clients.",
    }),
    comparison: Comparison,
  })
  .meta({ id: "ServiceChange" });
export type ServiceChange = z.infer<typeof ServiceChange>;

export const ServiceChangePage = z
  .object({
    changes: z.array(ServiceChange),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: "A page can have fewer changes than `limit`, or none, and a nextCursor." }),
  })
  .meta({ id: "ServiceChangePage" });

/** Each change is counted by a comparison. */
export const SERVICE_CHANGES_MAX = 20;
