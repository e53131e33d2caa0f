import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";
import { TeamSummary } from "../../principals/team-names/schema.ts";
import { Comparison } from "../../scans/comparisons/schema.ts";
import { ScanSource } from "../../scans/source/schema.ts";
import { RECENT_DAYS } from "../overview/schema.ts";

/** How many pull requests the list has at most. */
export const PULL_REQUESTS_MAX = 200;
/** How many of a service's last runs are read for it. */
export const PULL_REQUEST_RUNS_MAX = 50;

/** The last scan of a pull request, for one service. */
export const ScannedPullRequest = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    pullRequest: z.string().meta({ description: "Its number." }),
    scanRunId: Uuid.meta({ description: "Its last completed scan of the service." }),
    source: ScanSource,
    scannedAt: IsoDateTime,
    failedGates: z
      .array(z.string())
      .meta({ description: "The gates that failed, as the client of the scan says." }),
    comparison: Comparison,
  })
  .meta({ id: "ScannedPullRequest" });
export type ScannedPullRequest = z.infer<typeof ScannedPullRequest>;

export const ScannedPullRequestList = z
  .object({
    pullRequests: z.array(ScannedPullRequest).meta({
      description: `Newest first; at most ${PULL_REQUESTS_MAX}.`,
    }),
    count: z.int().meta({
      description: `All of the last ${RECENT_DAYS} days, among the last ${PULL_REQUEST_RUNS_MAX} runs of each service.`,
    }),
  })
  .meta({ id: "ScannedPullRequestList" });
export type ScannedPullRequestList = z.infer<typeof ScannedPullRequestList>;
