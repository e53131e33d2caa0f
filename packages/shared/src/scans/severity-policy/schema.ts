import { z } from "zod";
import { boundedArray, IsoDateTime, text } from "../../lib/schema.ts";
import { SCAN_LIMITS, SEVERITIES } from "../limits.ts";
import { SEVERITY_POLICY_LIMITS } from "./limits.ts";

export const PolicySeverity = z.enum([...SEVERITIES, "off"]).meta({
  id: "PolicySeverity",
  description: "The severity of a rule's findings. `off`: scans leave them out.",
});
export type PolicySeverity = z.infer<typeof PolicySeverity>;

const RuleOfPolicy = z
  .strictObject({
    code: text({ min: 1, max: SCAN_LIMITS.codeMax }).meta({ description: "The code of the rule." }),
    severity: PolicySeverity,
  })
  .meta({ id: "RuleOfPolicy" });

const Days = z.int().min(1).max(SEVERITY_POLICY_LIMITS.dueDaysMax).nullable();

/** The days by severity after which an open finding is overdue. */
export const DueDays = z
  .strictObject({ critical: Days, high: Days, medium: Days, low: Days, info: Days })
  .meta({
    id: "DueDays",
    description:
      "The days from the one when the service first had a finding until it is due, by severity. Null: no deadline.",
  });
export type DueDays = z.infer<typeof DueDays>;

/** The days of some severities; the others have no deadline. */
export const SomeDueDays = DueDays.partial();

/** Returns the days of all severities. */
export function everyDueDays(some: z.infer<typeof SomeDueDays>): DueDays {
  const { critical = null, high = null, medium = null, low = null, info = null } = some;
  return { critical, high, medium, low, info };
}

const rules = boundedArray(RuleOfPolicy, SEVERITY_POLICY_LIMITS.rulesMax);

/** Replaces an organization's severity policy. */
export const SeverityPolicyRequest = z
  .strictObject({
    rules,
    dueDays: SomeDueDays.optional().meta({
      description:
        "Replaces the days of all severities; one that is left out has no deadline. Without this field, all days stay as they are.",
    }),
  })
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [index, { code }] of ctx.value.rules.entries()) {
      if (seen.has(code))
        ctx.issues.push({
          code: "custom",
          path: ["rules", index, "code"],
          message: "must not be the code of another rule of the list",
          input: code,
        });
      seen.add(code);
    }
  })
  .meta({ id: "SeverityPolicyRequest" });

/** The severities that an organization gives rules, and the deadlines of findings. */
export const SeverityPolicy = z
  .object({
    revision: z
      .int()
      .min(0)
      .meta({ description: "Grows with each change, for If-Match. 0 before the first one." }),
    rules: rules.meta({ description: "By code. Other rules have the severity that their tool gives them." }),
    dueDays: DueDays,
    updatedAt: IsoDateTime.nullable(),
  })
  .meta({ id: "SeverityPolicy" });
export type SeverityPolicy = z.infer<typeof SeverityPolicy>;
