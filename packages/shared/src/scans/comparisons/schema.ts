import { z } from "zod";
import { KeyOwner } from "../../api-keys/schema.ts";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";

/** How many verdicts of a comparison are stored. More are counted. */
export const VERDICTS_MAX = 2_000;
/** How many operations a verdict names. More are counted. */
export const VERDICT_OPERATIONS_MAX = 50;
/** How many verdicts a page may have. */
export const VERDICT_PAGE_MAX = 500;

const Count = z.int().min(0);

/** Identifies a change of a description. Edits elsewhere don't change it. */
export const Fingerprint = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be 32 hexadecimal digits in lower case")
  .meta({ id: "ChangeFingerprint", description: "Identifies a change. Edits elsewhere don't change it." });

export const VerdictLevel = z.enum(["breaking", "maybe", "safe"]).meta({
  id: "VerdictLevel",
  description:
    "`breaking`: a client can stop working. `maybe`: it depends on the server or the client, or could not be decided. `safe`: no client notices.",
});
export type VerdictLevel = z.infer<typeof VerdictLevel>;

/** An operation that a change affects. A webhook has its name as the path. */
const AffectedOperation = z.object({
  method: z.string(),
  path: z.string(),
  kind: z.enum(["operation", "webhook", "callback"]),
});

/** A place in a description. */
export const VerdictPosition = z
  .object({
    file: z.string().meta({ description: "Empty: the description as it is stored." }),
    pointer: z.string().meta({ description: "A JSON Pointer." }),
    line: z.int().nullable().meta({
      description:
        "From 1, in the description as it was sent. Null if it is not known, or if the description is one line: then the pointer is the place.",
    }),
    column: z.int().nullable(),
  })
  .meta({ id: "VerdictPosition" });
export type VerdictPosition = z.infer<typeof VerdictPosition>;

/** The approval that lets a change pass gates. */
const ApprovalOfVerdict = z.object({
  reason: z.string(),
  until: z.iso.date().nullable().meta({ description: "The last day on which it holds, in UTC." }),
  approvedBy: Uuid.meta({ description: "The key that approved the change." }),
  approver: KeyOwner,
  approvedAt: IsoDateTime,
});

/** A change of a description, and whether it breaks clients. */
export const Verdict = z
  .object({
    id: z.string().meta({ description: "The rule, such as `request-property-became-required`." }),
    level: VerdictLevel,
    direction: z.enum(["request", "response", "operation"]),
    message: z.string().meta({ description: "Says in one sentence what stops working for whom." }),
    at: z.string().meta({
      description: "The part of the operation, such as `request body, property address.street`.",
    }),
    operations: z.array(AffectedOperation).meta({
      description: `The first ${VERDICT_OPERATIONS_MAX} operations that the change affects.`,
    }),
    operationCount: Count.meta({ description: "How many operations the change affects." }),
    before: z.string().nullable(),
    after: z.string().nullable(),
    witness: z.unknown().optional().meta({
      description:
        "A value that was valid and no longer is (requests), or that can now arrive (responses). Absent if none was found, or if it is large.",
    }),
    reason: z.string().nullable().meta({ description: "Why the comparison could not decide." }),
    base: VerdictPosition.nullable().meta({ description: "The place in the description before." }),
    head: VerdictPosition.nullable().meta({ description: "The place in the description of the run." }),
    fingerprint: Fingerprint,
    approval: ApprovalOfVerdict.nullable().meta({
      description:
        "The approval that holds now, or that the run used up when it became current. Null if there is none, and in a comparison with another run than the one before it.",
    }),
  })
  .meta({ id: "Verdict" });
export type Verdict = z.infer<typeof Verdict>;

/** A part of a description that was not compared. */
const PartNotCompared = z.object({
  message: z.string().meta({ description: "Says what was not compared, and why." }),
  place: VerdictPosition.nullable(),
});

export const NotComparedReason = z
  .enum(["no_base", "no_description", "no_base_description", "too_large", "failed"])
  .meta({
    id: "NotComparedReason",
    description:
      "`no_base`: no promoted run is before it. `no_description`: the run has no description. `no_base_description`: the run " +
      "before it, or that of `against`, has none. `too_large`: the comparison needed too much time or memory. `failed`: it failed several times.",
  });
export type NotComparedReason = z.infer<typeof NotComparedReason>;

/** Whether the description of a run was compared with that of the run before it, and the counts. */
export const Comparison = z
  .object({
    status: z.enum(["compared", "pending", "not_compared"]).meta({
      description: "`pending`: a worker compares the descriptions, usually within a minute.",
    }),
    reason: NotComparedReason.nullable().meta({ description: "Why the status is `not_compared`." }),
    against: Uuid.nullable().meta({
      description:
        "The run with which it is compared: the one before it, or that of `against`. Retention may have deleted it since.",
    }),
    counts: z
      .object({
        breaking: Count,
        maybe: Count,
        safe: Count,
        approved: Count.meta({
          description:
            "How many of `breaking` and `maybe` have an approval that holds. 0 in a comparison with another run than the one before it.",
        }),
      })
      .nullable()
      .meta({ description: "Null unless the status is `compared`." }),
    notListed: Count.meta({
      description: `Verdicts beyond the first ${VERDICTS_MAX}, which are counted and not stored.`,
    }),
    notCompared: z.array(PartNotCompared).meta({
      description: "Parts of the description that were not compared: nothing is known about their changes.",
    }),
    comparedAt: IsoDateTime.nullable().meta({
      description: "Null unless the descriptions differ and were compared.",
    }),
    rules: z
      .object({
        version: Count.meta({ description: "The version of the rules that judged." }),
        latest: Count.meta({ description: "The version of the server's rules." }),
      })
      .nullable()
      .meta({
        description:
          "Null unless the descriptions differ and were compared. If `version` is less than `latest`, the verdicts are those of older rules. " +
          "A worker compares a service's last change, and the runs after it, again, and those of its last 20 runs that are not promoted.",
      }),
  })
  .meta({ id: "Comparison" });
export type Comparison = z.infer<typeof Comparison>;
