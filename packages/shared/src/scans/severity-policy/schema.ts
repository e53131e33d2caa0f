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

const rules = boundedArray(RuleOfPolicy, SEVERITY_POLICY_LIMITS.rulesMax);

/** Replaces an organization's severity policy. */
export const SeverityPolicyRequest = z
  .strictObject({ rules })
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

/** The severities that an organization gives rules. */
export const SeverityPolicy = z
  .object({
    revision: z
      .int()
      .min(0)
      .meta({ description: "Grows with each change, for If-Match. 0 before the first one." }),
    rules: rules.meta({ description: "By code. Other rules have the severity that their tool gives them." }),
    updatedAt: IsoDateTime.nullable(),
  })
  .meta({ id: "SeverityPolicy" });
export type SeverityPolicy = z.infer<typeof SeverityPolicy>;
