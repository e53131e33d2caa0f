import { z } from "zod";
import { PrincipalSummary } from "../../api-keys/schema.ts";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { DecidedFinding, FindingFingerprint } from "../finding-decisions/schema.ts";
import { SCAN_LIMITS } from "../limits.ts";

/** Assigns a finding of a service to a user. */
export const AssignFindingRequest = z
  .strictObject({
    serviceId: Uuid,
    code: text({ max: SCAN_LIMITS.codeMax }).meta({ description: "The code of the rule." }),
    finding: DecidedFinding.meta({ description: "The finding, as a scan has it." }),
    principalId: Uuid.nullish().meta({
      description: "An active user. Null: the user to whom the calling key belongs.",
    }),
  })
  .meta({ id: "AssignFindingRequest" });

/** A finding that somebody takes care of. */
export const FindingAssignment = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    code: z.string(),
    finding: DecidedFinding,
    fingerprint: FindingFingerprint,
    assignee: PrincipalSummary,
    findingCount: z.int().min(0).meta({
      description: "How many findings of the service's current run it is for. 0: the finding is gone.",
    }),
    assignedByKeyId: Uuid,
    assignedAt: IsoDateTime,
  })
  .meta({ id: "FindingAssignment" });
export type FindingAssignment = z.infer<typeof FindingAssignment>;

export const FindingAssignmentPage = z
  .object({ assignments: z.array(FindingAssignment), nextCursor: z.string().optional() })
  .meta({ id: "FindingAssignmentPage" });

export const Assignee = z.union([z.literal("me"), Uuid]).meta({
  id: "Assignee",
  description: "The id of a user, or `me` for the user to whom the calling key belongs.",
});
