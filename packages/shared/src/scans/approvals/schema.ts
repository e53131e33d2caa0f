import { z } from "zod";
import { KeyOwner } from "../../api-keys/schema.ts";
import { boundedArray, IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { TeamSummary } from "../../principals/team-names/schema.ts";
import { Fingerprint, Verdict } from "../comparisons/schema.ts";

export const APPROVAL_LIMITS = {
  /** The changes that one request approves. */
  fingerprintsMax: 100,
  /** In Unicode characters. */
  reasonMax: 500,
  /** The approvals of a service that hold or have expired. */
  perServiceMax: 1_000,
  /** The operations of an approved change that are kept. */
  operationsMax: 3,
} as const;

/** Approves changes of a service. */
export const CreateChangeApprovalsRequest = z
  .strictObject({
    fingerprints: boundedArray(Fingerprint, APPROVAL_LIMITS.fingerprintsMax)
      .refine((given) => given.length > 0, "must have at least 1 item")
      .meta({ description: "The changes. A change that is approved gets the new reason and end." }),
    reason: text({ min: 1, max: APPROVAL_LIMITS.reasonMax })
      .refine((given) => given.trim() !== "", "must not be blank")
      .meta({ description: "Everybody who may read the service sees it. A text with a key is refused." }),
    until: z.iso.date("must be a day such as 2026-01-31").nullish().meta({
      description: "The last day on which the approval holds, in UTC. Null: until the change is current.",
    }),
    scanRunId: Uuid.nullish().meta({
      description:
        "The run that has the changes. If it is compared, it must have all of them; if it is promoted, the approvals are for it and no later run.",
    }),
  })
  .meta({ id: "CreateChangeApprovalsRequest" });

export const ChangeApprovalState = z.enum(["open", "used", "expired"]).meta({
  id: "ChangeApprovalState",
  description:
    "`open`: the change passes gates. `used`: the change is current, so that the same change made again needs another approval. " +
    "`expired`: its last day is over.",
});
export type ChangeApprovalState = z.infer<typeof ChangeApprovalState>;

/** A change as it was when it was approved. */
export const ApprovedChange = Verdict.pick({
  id: true,
  level: true,
  message: true,
  operations: true,
  operationCount: true,
}).meta({ id: "ApprovedChange" });
export type ApprovedChange = z.infer<typeof ApprovedChange>;

/** An approval of a change, with which it passes gates. */
export const ChangeApproval = z
  .object({
    id: Uuid,
    fingerprint: Fingerprint,
    change: ApprovedChange.nullable().meta({
      description:
        `The change as the run had it when it was approved, with its first ${APPROVAL_LIMITS.operationsMax} operations. Null if no run was named, or if the ` +
        "run was not compared, so that it is not known what the fingerprint stands for.",
    }),
    state: ChangeApprovalState,
    reason: z.string(),
    until: z.iso.date().nullable(),
    scanRunId: Uuid.nullable().meta({ description: "The run that it was given for, if one was named." }),
    usedByScanRunId: Uuid.nullable().meta({ description: "The run with which the change became current." }),
    approvedBy: Uuid.meta({ description: "The key that approved the change." }),
    approver: KeyOwner,
    approvedAt: IsoDateTime,
  })
  .meta({ id: "ChangeApproval" });
export type ChangeApproval = z.infer<typeof ChangeApproval>;

export const ChangeApprovalList = z
  .object({ approvals: z.array(ChangeApproval) })
  .meta({ id: "ChangeApprovalList" });

export const ChangeApprovalPage = z
  .object({ approvals: z.array(ChangeApproval), nextCursor: z.string().optional() })
  .meta({ id: "ChangeApprovalPage" });

/** An approval of a change of one of the services. */
export const ServiceChangeApproval = ChangeApproval.extend({
  serviceId: Uuid,
  serviceName: z.string(),
  ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
  pullRequest: z.string().nullable().meta({
    description:
      "The number of the pull request of the run that it was given for. Null if there is none, or if the run is deleted.",
  }),
}).meta({ id: "ServiceChangeApproval" });
export type ServiceChangeApproval = z.infer<typeof ServiceChangeApproval>;

export const ServiceChangeApprovalPage = z
  .object({ approvals: z.array(ServiceChangeApproval), nextCursor: z.string().optional() })
  .meta({ id: "ServiceChangeApprovalPage" });
