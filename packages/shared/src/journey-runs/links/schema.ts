import { z } from "zod";
import { PrincipalSummary } from "../../api-keys/schema.ts";
import { IsoDateTime, label, text, Uuid } from "../../lib/schema.ts";
import { JOURNEY_RUN_LINK_LIMITS, LINK_HOURS_DEFAULT } from "./limits.ts";

export const LinkIncludes = z.enum(["verdicts", "exchanges"]).meta({
  id: "JourneyRunLinkIncludes",
  description:
    "`verdicts`: what passed and failed, without bodies, headers, values and addresses. `exchanges`: also requests and responses as the run's " +
    "own page has them, without the secrets that the journey hides.",
});
export type LinkIncludes = z.infer<typeof LinkIncludes>;

export const CreateJourneyRunLinkRequest = z
  .strictObject({
    hours: z
      .int()
      .min(1)
      .max(JOURNEY_RUN_LINK_LIMITS.hoursMax)
      .default(LINK_HOURS_DEFAULT)
      .meta({ description: "How long it works. It ends with the calling key if that expires before." }),
    includes: LinkIncludes.default("verdicts"),
    note: label({ min: 1, max: JOURNEY_RUN_LINK_LIMITS.noteMax })
      .optional()
      .meta({ description: "Whom it is for. Readers of the run see it, readers of the link do not." }),
  })
  .meta({ id: "CreateJourneyRunLinkRequest" });

export const JourneyRunLink = z
  .object({
    id: Uuid,
    includes: LinkIncludes,
    note: z.string().nullable(),
    createdByKeyId: Uuid.meta({ description: "The key that made it." }),
    creator: PrincipalSummary.nullable().meta({
      description: "To whom that key belongs. Null for other keys.",
    }),
    isOwn: z.boolean().meta({ description: "True if the caller made it." }),
    createdAt: IsoDateTime,
    expiresAt: IsoDateTime,
    openCount: z.int().meta({ description: "How often it was opened." }),
    lastOpenedAt: IsoDateTime.nullable(),
  })
  .meta({ id: "JourneyRunLink" });
export type JourneyRunLink = z.infer<typeof JourneyRunLink>;

export const CreatedJourneyRunLink = JourneyRunLink.extend({
  url: z.string().meta({ description: "The link, with its token. It is shown only once." }),
}).meta({ id: "CreatedJourneyRunLink" });
export type CreatedJourneyRunLink = z.infer<typeof CreatedJourneyRunLink>;

export const JourneyRunLinkList = z
  .object({ links: z.array(JourneyRunLink) })
  .meta({ id: "JourneyRunLinkList" });

export const OpenJourneyRunLinkRequest = z
  .strictObject({
    token: text({ max: 100 }).meta({ description: "What the fragment of the link has." }),
    after: z
      .int()
      .min(-1)
      .max(1_000_000)
      .default(-1)
      .meta({ description: "The last `seq` that the caller has, for the next steps." }),
  })
  .meta({ id: "OpenJourneyRunLinkRequest" });

/** A request with its response, if one arrived, as a result has them. */
export const SharedExchange = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.string().optional(),
  }),
  response: z
    .object({
      status: z.number(),
      statusText: z.string().optional(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      body: z.string().optional(),
      ms: z.number(),
    })
    .optional(),
  truncated: z.boolean(),
  redactions: z.number(),
});

const Attempt = z.object({ n: z.number(), ms: z.number(), outcome: z.string() });
const Assertion = z.object({
  id: z.string(),
  condition: z.string(),
  status: z.enum(["passed", "failed", "error", "notRun"]),
});
const Contract = z.object({ check: z.string(), status: z.enum(["passed", "failed", "skipped"]) });
const External = z.object({ method: z.string() });

/** A step of a shared run without values, addresses and sentences, which may have either. */
export const SharedVerdict = z.object({
  id: z.string(),
  phase: z.enum(["main", "teardown"]),
  status: z.enum(["passed", "failed", "error", "skipped", "timedOut"]),
  workflow: z.string().optional(),
  handled: z.boolean().optional(),
  operation: z.object({ method: z.string(), path: z.string() }).optional(),
  external: External.optional(),
  calls: z.string().optional(),
  ms: z.number(),
  attempts: z.array(Attempt),
  assertions: z.array(Assertion),
  contract: z.array(Contract),
});

/** A step of a shared run. What the link leaves out is absent. */
export const SharedStep = SharedVerdict.extend({
  reason: z.string().optional(),
  notes: z.array(z.string()).optional(),
  external: External.extend({ url: z.string().optional() }).optional(),
  attempts: z.array(Attempt.extend({ because: z.string().optional() })),
  assertions: z.array(
    Assertion.extend({
      actual: z.unknown().optional(),
      expected: z.unknown().optional(),
      explanation: z.string().optional(),
    }),
  ),
  contract: z.array(Contract.extend({ pointer: z.string().optional(), message: z.string().optional() })),
  outputs: z.record(z.string(), z.unknown()).optional(),
  evidence: SharedExchange.extend({
    earlier: z.array(SharedExchange.extend({ attempt: z.number() })).optional(),
  }).optional(),
}).meta({ id: "SharedJourneyStep" });
export type SharedStep = z.infer<typeof SharedStep>;

export const SharedJourneyRun = z
  .object({
    title: z.string(),
    status: z.enum(["passed", "failed", "error", "aborted"]),
    error: z
      .object({ code: z.string(), message: z.string().optional() })
      .nullable()
      .meta({ description: "Why it could not be completed." }),
    inDoubtStep: z.string().nullable(),
    origin: z.enum(["cloud", "uploaded"]),
    startedAt: IsoDateTime.nullable(),
    endedAt: IsoDateTime.nullable(),
    stepCount: z.int(),
    passedStepCount: z.int(),
    kept: z.enum(["evidence", "result", "run"]).meta({
      description:
        "What retention has left: all, all but the requests and responses, or neither steps nor criteria.",
    }),
    teardown: z.enum(["passed", "failed", "none"]),
    acceptance: z.array(
      z.object({
        id: z.string(),
        text: z.string(),
        severity: z.string(),
        status: z.enum(["proven", "failed", "notRun", "unproven"]),
      }),
    ),
  })
  .meta({ id: "SharedJourneyRun" });
export type SharedJourneyRun = z.infer<typeof SharedJourneyRun>;

export const OpenedJourneyRunLink = z
  .object({
    includes: LinkIncludes,
    expiresAt: IsoDateTime,
    run: SharedJourneyRun.nullable().meta({ description: "Null if the run is no longer kept." }),
    steps: z.array(z.object({ seq: z.int(), result: SharedStep })),
    nextAfter: z.int().optional().meta({ description: "`after` of the next steps, if there are more." }),
  })
  .meta({ id: "OpenedJourneyRunLink" });
export type OpenedJourneyRunLink = z.infer<typeof OpenedJourneyRunLink>;
