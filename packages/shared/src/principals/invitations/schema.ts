import { z } from "zod";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { GrantRoleRequest, ROLE_LIMITS } from "../roles/schema.ts";
import { DisplayName, PRINCIPAL_LIMITS } from "../schema.ts";

export const INVITATION_LIMITS = { daysMax: 7, openMax: 1_000 } as const;

/** An address in ASCII, so that no two look equal. Another case is the same address. */
export const EmailAddress = z
  .email("must be an e-mail address of ASCII characters")
  .max(PRINCIPAL_LIMITS.emailMax)
  .regex(/^[!-~]+$/, "must be an e-mail address of ASCII characters")
  .meta({ id: "EmailAddress" });

export const CreateInvitationRequest = z
  .strictObject({
    email: EmailAddress,
    roles: z
      .array(GrantRoleRequest)
      .min(1, "must have at least 1 item")
      .max(ROLE_LIMITS.grantsPerUserMax)
      .meta({ description: "What the user gets. The calling key needs all permissions of these roles." }),
  })
  .meta({ id: "CreateInvitationRequest" });
export type CreateInvitationRequest = z.infer<typeof CreateInvitationRequest>;

/** An invitation that was not accepted yet. */
export const Invitation = z
  .object({
    id: Uuid,
    email: z.string(),
    roles: z.array(
      z.object({
        role: z.string(),
        serviceNames: z.array(z.string()).nullable(),
        ownedBy: z.string().nullable().default(null),
      }),
    ),
    createdAt: IsoDateTime,
    expiresAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({ description: "The key that invited. Null for the operator." }),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;

export const CreatedInvitation = Invitation.extend({
  url: z.string().meta({
    description:
      "The link for the person. It is shown only once, works once, and whoever has it becomes the user.",
  }),
}).meta({ id: "CreatedInvitation" });
export type CreatedInvitation = z.infer<typeof CreatedInvitation>;

export const InvitationList = z.object({ invitations: z.array(Invitation) }).meta({ id: "InvitationList" });

export const AcceptInvitationRequest = z
  .strictObject({
    token: text({ max: 100 }).meta({ description: "What the fragment of the link has." }),
    displayName: DisplayName,
  })
  .meta({ id: "AcceptInvitationRequest" });

export const AcceptedInvitation = z
  .object({
    userId: Uuid,
    displayName: z.string(),
    apiKeyId: Uuid,
    rawKey: z.string().meta({ description: "The user's first personal key. It is shown only once." }),
    warning: z.string(),
  })
  .meta({ id: "AcceptedInvitation" });
