import { z } from "zod";
import { KeyOwner } from "../../api-keys/schema.ts";
import { boundedArray, IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { Fingerprint } from "../comparisons/schema.ts";

export const APPROVAL_LIMITS = {
  /** The changes that one request approves. */
  fingerprintsMax: 100,
  /** In Unicode characters. */
  reasonMax: 500,
  /** The approvals of a service that hold or have expired. */
  perServiceMax: 1_000,
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

/** An approval of a change, with which it passes gates. */
export const ChangeApproval = z
  .object({
    id: Uuid,
    fingerprint: Fingerprint,
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
