import { z } from "zod";
import { KeyOwner } from "../../api-keys/schema.ts";
import { boundedArray, IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { HTTP_METHODS, SCAN_LIMITS, SEVERITIES } from "../limits.ts";
import { DECISION_KINDS, DECISION_LIMITS } from "./limits.ts";

export const DecisionKind = z.enum(DECISION_KINDS).meta({
  id: "DecisionKind",
  description:
    "`accepted_risk`: the finding is right, and its risk is accepted. `false_positive`: the finding is wrong. `wont_fix`: the finding is " +
    "right, and nobody will change it.",
});
export type DecisionKind = z.infer<typeof DecisionKind>;

/** The finding that a decision is for, besides the code of its rule. */
export const DecidedFinding = z
  .strictObject({
    method: z.enum(HTTP_METHODS).nullable(),
    path: text({ max: SCAN_LIMITS.pathMax }).nullable(),
    message: text({ max: SCAN_LIMITS.messageMax }),
  })
  .meta({ id: "DecidedFinding" });

const Reason = text({ min: 1, max: DECISION_LIMITS.reasonMax })
  .refine((given) => given.trim() !== "", "must not be blank")
  .meta({ description: "Everybody who may read the findings sees it. A text with a key is refused." });

const Until = z.iso
  .date("must be a day such as 2026-01-31")
  .nullish()
  .meta({
    description:
      "The last day on which the decision holds, in UTC: at most the organization's maximum from today, which is " +
      `${DECISION_LIMITS.daysMaxDefault} days unless the operator sets another one. Null: that maximum.`,
  });

/** Decides about a finding, a rule in one service, or a rule everywhere. */
export const CreateFindingDecisionRequest = z
  .strictObject({
    kind: DecisionKind,
    serviceId: Uuid.nullish().meta({
      description:
        "Null: every service. This needs a scope of findings:decide that is not limited to services.",
    }),
    code: text({ max: SCAN_LIMITS.codeMax }).meta({ description: "The code of the rule." }),
    finding: DecidedFinding.nullish().meta({
      description:
        "The finding of the service, as a scan has it. The decision covers all findings of the rule with this method, and a path and a message that " +
        "differ in names of path parameters, numbers and quoted values only. Null: every finding of the rule.",
    }),
    maxSeverity: z
      .enum(SEVERITIES)
      .nullish()
      .meta({
        description:
          "The highest severity that the decision covers: a finding that becomes more severe is open again. Null: the highest severity that its findings " +
          "have now, in current runs that the key may read; `critical` if there is none.",
      }),
    reason: Reason,
    until: Until,
  })
  .check((ctx) => {
    const { finding = null, serviceId = null } = ctx.value;
    if (finding === null || serviceId !== null) return;
    const message = "is required for a decision about one finding";
    ctx.issues.push({ code: "custom", path: ["serviceId"], message, input: serviceId });
  })
  .meta({ id: "CreateFindingDecisionRequest" });

/** A finding of a service, as a scan has it. */
export const FindingInService = z
  .strictObject({
    serviceId: Uuid,
    code: text({ max: SCAN_LIMITS.codeMax }).meta({ description: "The code of the rule." }),
    finding: DecidedFinding,
  })
  .meta({ id: "FindingInService" });
export type FindingInService = z.infer<typeof FindingInService>;

/** Returns the schema of a list that a request changes as a whole. */
export function batchOf<T extends z.ZodType>(item: T) {
  return boundedArray(item, DECISION_LIMITS.perRequestMax).refine(
    (given) => given.length > 0,
    "must have at least 1 item",
  );
}

/** Makes the same decision about several findings. */
export const CreateFindingDecisionsRequest = z
  .strictObject({
    kind: DecisionKind,
    findings: batchOf(
      FindingInService.extend({
        maxSeverity: z.enum(SEVERITIES).meta({
          description:
            "The highest severity that the decision covers, such as that of the finding: one that becomes more severe is open again.",
        }),
      }),
    ),
    reason: Reason,
    until: Until,
  })
  .meta({ id: "CreateFindingDecisionsRequest" });
export type CreateFindingDecisionsRequest = z.infer<typeof CreateFindingDecisionsRequest>;

/** Decisions of one request. */
export const CreatedFindingDecisions = z
  .object({
    decisions: z.array(z.object({ decisionId: Uuid, serviceId: Uuid, code: z.string() })).meta({
      description: "One for all findings of a service with the same fingerprint.",
    }),
    replacedCount: z.int().min(0).meta({
      description:
        "How many of them are in the place of a decision that held. Revoking does not bring that back.",
    }),
    until: z.iso.date().meta({ description: "The last day on which they hold, in UTC." }),
  })
  .meta({ id: "CreatedFindingDecisions" });

/** Revokes several decisions. */
export const DeleteFindingDecisionsRequest = z
  .strictObject({
    decisions: batchOf(z.strictObject({ serviceId: Uuid, decisionId: Uuid })).meta({
      description:
        "Each with the service that it is for. Decisions for every service are revoked one by one.",
    }),
  })
  .meta({ id: "DeleteFindingDecisionsRequest" });

export const RevokedFindingDecisions = z
  .object({
    revokedCount: z.int().min(0).meta({
      description:
        "Without those that were replaced or revoked before, and those of another service than the named one.",
    }),
  })
  .meta({ id: "RevokedFindingDecisions" });

export const DecisionState = z.enum(["active", "expired"]).meta({
  id: "DecisionState",
  description:
    "`active`: its findings pass gates. `expired`: its last day is over, and its findings are open.",
});
export type DecisionState = z.infer<typeof DecisionState>;

/** Fingerprint of a finding. */
export const FindingFingerprint = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be a fingerprint of 32 hexadecimal digits")
  .meta({
    description:
      "Equal for findings with the same code and method whose path and message differ only in names of path parameters, numbers and quoted values.",
  });

/** A decision about findings. */
export const FindingDecision = z
  .object({
    id: Uuid,
    kind: DecisionKind,
    state: DecisionState,
    serviceId: Uuid.nullable().meta({ description: "Null: every service." }),
    serviceName: z.string().nullable(),
    code: z.string(),
    finding: DecidedFinding.nullable().meta({ description: "Null: every finding of the rule." }),
    fingerprint: FindingFingerprint.nullable().meta({ description: "Of the finding." }),
    maxSeverity: z.enum(SEVERITIES).meta({ description: "The highest severity that it covers." }),
    reason: z.string(),
    until: z.iso.date().meta({ description: "The last day on which it holds, in UTC." }),
    findingCount: z
      .int()
      .min(0)
      .meta({
        description:
          "How many findings of current runs it covers, of services that the key may read. With 0 here and in `exceededCount`, it matches nothing any " +
          "more.",
      }),
    exceededCount: z.int().min(0).meta({
      description:
        "How many findings of current runs it would cover if they were not more severe than `maxSeverity`: it leaves them open.",
    }),
    decidedBy: Uuid.meta({ description: "The key that decided." }),
    decider: KeyOwner,
    decidedAt: IsoDateTime,
  })
  .meta({ id: "FindingDecision" });
export type FindingDecision = z.infer<typeof FindingDecision>;

export const FindingDecisionPage = z
  .object({ decisions: z.array(FindingDecision), nextCursor: z.string().optional() })
  .meta({ id: "FindingDecisionPage" });

const AnyDecisionOnFinding = FindingDecision.pick({
  id: true,
  kind: true,
  maxSeverity: true,
  reason: true,
  until: true,
  decidedBy: true,
  decider: true,
  decidedAt: true,
})
  .extend({
    target: z.enum(["finding", "rule", "rule_everywhere"]).meta({
      description: "What the decision is for: this finding, its rule in the service, or its rule everywhere.",
    }),
  })
  .nullable();

/** The decision that covers a finding today; null for an open one. */
export const DecisionOnFinding = AnyDecisionOnFinding.meta({
  description: "The decision that covers the finding today; null for an open one.",
});
export type DecisionOnFinding = z.infer<typeof DecisionOnFinding>;

/** The decision that an open finding has outgrown. */
export const ExceededDecision = AnyDecisionOnFinding.meta({
  description:
    "The decision that covers such findings up to a lower severity than the finding has, so that it is open; null if there is none, or if another decision " +
    "covers it.",
});

/** The findings that a list has. */
export const FindingState = z.enum(["open", "decided"]).meta({
  id: "FindingState",
  description: "`decided`: a decision covers the finding today. `open`: none does.",
});
export type FindingState = z.infer<typeof FindingState>;
