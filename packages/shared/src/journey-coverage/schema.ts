import { z } from "zod";
import { IsoDateTime, Uuid } from "../lib/schema.ts";

const Origin = z.enum(["cloud", "uploaded"]);

export const CriterionState = z.enum(["proven", "failed", "stale", "notRun", "unproven"]).meta({
  id: "CriterionState",
  description:
    "`failed`: also in an older version, until a newer one ran. `stale`: proven, but by an older version of a document. `notRun`: no run in the window came to it. `unproven`: no assertion proves it.",
});
export type CriterionState = z.infer<typeof CriterionState>;

export const CoveredCriterion = z
  .object({
    journeyId: Uuid.meta({ description: "The document that declares it." }),
    journeyPath: z.string(),
    id: z.string(),
    text: z.string(),
    severity: z.string(),
    state: CriterionState,
    provenBy: z.array(z.string()).meta({ description: "As `stepId#criterionId`, in the newest version." }),
    verdict: z
      .object({
        runId: Uuid,
        journeyId: Uuid.meta({ description: "The journey or variant that ran." }),
        journeyPath: z.string(),
        version: z.int(),
        environmentId: Uuid,
        environmentName: z.string(),
        origin: Origin,
        endedAt: IsoDateTime,
        by: z.array(z.string()).meta({ description: "As `stepId#criterionId`, in the version that ran." }),
      })
      .nullable()
      .meta({ description: "The run that decides the state." }),
  })
  .meta({ id: "CoveredCriterion" });
export type CoveredCriterion = z.infer<typeof CoveredCriterion>;

const OperationState = z.enum(["asserted", "called", "uncalled", "notInInventory"]).meta({
  id: "OperationState",
  description:
    "`asserted`: called by a step with success criteria. `notInInventory`: called, and not in the service's current scan.",
});

const CallingJourney = z.object({ id: Uuid, path: z.string() });

export const CoveredOperation = z
  .object({
    serviceId: Uuid.nullable().meta({ description: "Null if the description is bound to no service." }),
    serviceName: z.string().nullable(),
    sourcePath: z.string().nullable().meta({ description: "Of a call: the path of its description." }),
    method: z.string(),
    path: z.string(),
    operationId: z.string().nullable(),
    state: OperationState,
    calls: z.int().meta({ description: "By the current versions, also before the window." }),
    statuses: z.array(z.int()).meta({ description: "Seen by them." }),
    calledAt: IsoDateTime.nullable(),
    assertedAt: IsoDateTime.nullable(),
    journeyCount: z.int(),
    journeys: z.array(CallingJourney).meta({ description: "The first 20 that called it." }),
  })
  .meta({ id: "CoveredOperation" });
export type CoveredOperation = z.infer<typeof CoveredOperation>;

export const CoverageShare = z
  .object({ covered: z.int(), total: z.int() })
  .meta({ id: "CoverageShare", description: "How many of how many." });

export const JourneyCoverage = z
  .object({
    windowDays: z.int(),
    since: IsoDateTime,
    shares: z.object({
      acceptance: CoverageShare.meta({ description: "Criteria that are proven." }),
      must: CoverageShare.meta({ description: "The same of the severity `must`." }),
      operations: CoverageShare.meta({
        description:
          "Operations that were called, of all endpoints of current scans: also those of services that no stored description belongs to, which `operations` does not list.",
      }),
      asserted: CoverageShare.meta({ description: "The same of operations that were called and asserted." }),
    }),
    criteriaByState: z.record(CriterionState, z.int()),
    notInInventoryCount: z.int(),
    criteria: z.array(CoveredCriterion),
    criteriaCursor: z.string().optional().meta({ description: "Of the next page of criteria." }),
    operations: z.array(CoveredOperation),
    operationsCursor: z.string().optional().meta({ description: "Of the next page of operations." }),
  })
  .meta({ id: "JourneyCoverage" });
export type JourneyCoverage = z.infer<typeof JourneyCoverage>;

const CalledEndpoint = z.object({
  method: z.string(),
  path: z.string().meta({ description: "As the journey's description has it." }),
  operationId: z.string().nullable(),
});

export const ServiceJourneyPage = z
  .object({
    journeys: z.array(
      z.object({
        id: Uuid,
        path: z.string(),
        title: z.string().nullable(),
        operations: z.array(
          CalledEndpoint.extend({
            isInInventory: z
              .boolean()
              .meta({ description: "Whether the service's current scan has the operation." }),
          }),
        ),
      }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: "ServiceJourneyPage" });

export const BrokenJourneys = z
  .object({
    scanRunId: Uuid,
    against: Uuid.nullable().meta({
      description: "The service's previous promoted run, which has the operations; null if there is none.",
    }),
    journeys: z.array(
      z.object({
        id: Uuid,
        path: z.string(),
        title: z.string().nullable(),
        operations: z.array(CalledEndpoint),
      }),
    ),
  })
  .meta({ id: "BrokenJourneys" });
export type BrokenJourneys = z.infer<typeof BrokenJourneys>;
