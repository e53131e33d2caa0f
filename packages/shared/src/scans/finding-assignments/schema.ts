import { z } from "zod";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { TeamSlug, TeamWord } from "../../principals/team-names/schema.ts";
import {
  batchOf,
  DecidedFinding,
  FindingFingerprint,
  FindingInService,
} from "../finding-decisions/schema.ts";
import { SCAN_LIMITS } from "../limits.ts";

/** Assigns a finding of a service to a user or a team. */
export const AssignFindingRequest = z
  .strictObject({
    serviceId: Uuid,
    code: text({ max: SCAN_LIMITS.codeMax }).meta({ description: "The code of the rule." }),
    finding: DecidedFinding.meta({ description: "The finding, as a scan has it." }),
    principalId: Uuid.nullish().meta({
      description:
        "An active user who may read the service's findings. Null, without `team`: the user to whom the calling key belongs.",
    }),
    team: TeamSlug.nullish().meta({ description: "The slug of a team that the calling key sees." }),
  })
  .refine(({ principalId, team }) => (principalId ?? null) === null || (team ?? null) === null, {
    path: ["team"],
    message: "must not be there with principalId: a finding has one assignee",
  })
  .meta({ id: "AssignFindingRequest" });

const UserOrTeam = z.union([z.strictObject({ principalId: Uuid }), z.strictObject({ team: TeamSlug })]);

/** Assigns several findings to the same user or team, or to nobody. */
export const AssignFindingsRequest = z
  .strictObject({
    findings: batchOf(FindingInService),
    assignee: UserOrTeam.nullable().meta({
      description:
        "An active user who may read the findings of each of the services, or a team that the calling key sees. Null: nobody, which ends the assignments.",
    }),
    ifAssignee: UserOrTeam.nullable().optional().meta({
      description:
        "Changes only the findings that are assigned to this user or team now; null: to nobody. So what others have assigned meanwhile stays. Default: all.",
    }),
  })
  .meta({ id: "AssignFindingsRequest" });

export const AssignedFindings = z
  .object({
    changedCount: z.int().min(0).meta({
      description:
        "How many assignments were made or ended: one for all findings of a service with the same fingerprint.",
    }),
    unchangedCount: z.int().min(0).meta({
      description:
        "How many were left as they were, counted alike: they have the assignee already, or another one than `ifAssignee`.",
    }),
  })
  .meta({ id: "AssignedFindings" });

/** The user or the team that takes care of a finding. */
export const FindingAssignee = z
  .object({
    type: z.enum(["user", "team"]),
    id: Uuid,
    displayName: z.string(),
    slug: z.string().nullable().meta({ description: "That of a team; null for a user." }),
  })
  .meta({ id: "FindingAssignee" });
export type FindingAssignee = z.infer<typeof FindingAssignee>;

/** A finding that somebody takes care of. */
export const FindingAssignment = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    code: z.string(),
    finding: DecidedFinding,
    fingerprint: FindingFingerprint,
    assignee: FindingAssignee,
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

/** Selects findings by their assignee, in a query. */
export const AssigneeSelector = z
  .union([Uuid, TeamWord])
  .optional()
  .meta({
    description:
      "Only findings that are assigned: to the user of the key or to a team of that user (`me`), to nobody (`none`), to the user with an id, or to the " +
      "team with a slug.",
    examples: ["me"],
  });
