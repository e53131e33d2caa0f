import { z } from "zod";
import { operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import { SeverityPolicy, SeverityPolicyRequest } from "./schema.ts";

export const getSeverityPolicy = operation({
  id: "getSeverityPolicy",
  ...addresses.getSeverityPolicy,
  summary: "Read the organization's severity policy",
  description:
    "The severities that the organization gives rules, and the days in which findings are due. Clients apply the severities to findings before " +
    "they submit a scan. Needs no permission.",
  tag: "scans",
  access: { needs: [] },
  responses: { 200: SeverityPolicy },
});

export const replaceSeverityPolicy = operation({
  id: "replaceSeverityPolicy",
  ...addresses.replaceSeverityPolicy,
  summary: "Replace the organization's severity policy",
  description:
    "Later scans of the command have the new severities. Those that are stored keep theirs. Deadlines count at once, for all findings. " +
    "With If-Match, a policy that was changed since is not replaced (412).",
  tag: "scans",
  access: { needs: ["severities:manage"] },
  headers: z.object({
    "if-match": z
      .string()
      .regex(/^"[0-9]{1,9}"$/, 'must be the policy\'s revision in quotes, such as "3"')
      .optional()
      .meta({ description: "The revision that the change was made from, in quotes." }),
  }),
  body: SeverityPolicyRequest,
  responses: { 200: SeverityPolicy },
  errors: [412],
});
