import { z } from "zod";
import { PrincipalType } from "../api-keys/schema.ts";
import { INVISIBLE_CHARACTER } from "../lib/invisible.ts";
import { IsoDateTime, label, text, Uuid } from "../lib/schema.ts";
import { RoleGrant } from "./roles/schema.ts";
import { TeamSummary } from "./team-names/schema.ts";

export const PRINCIPAL_LIMITS = {
  displayNameMax: 120,
  emailMax: 254,
  /** The maximum of users and service accounts together. */
  principalsMax: 5_000,
} as const;

const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "u");

/** The name of a person or a service account, as others see it. */
export const DisplayName = label({ min: 1, max: PRINCIPAL_LIMITS.displayNameMax })
  .refine((name) => name.trim() === name, "must not begin or end with white space")
  .refine((name) => !INVISIBLE.test(name), "must not contain invisible characters")
  .meta({ id: "DisplayName", minLength: 1, maxLength: PRINCIPAL_LIMITS.displayNameMax });

/** A user or a service account of the organization. */
export const Principal = z
  .object({
    id: Uuid,
    type: PrincipalType,
    displayName: z.string(),
    email: z.string().nullable().meta({
      description:
        "The address of a user, unique in the organization in any case. Null for a service account.",
    }),
    roleGrants: z.array(RoleGrant).meta({
      description: "The user's own roles, besides those of the teams. A service account has none.",
    }),
    teams: z.array(TeamSummary).meta({ description: "The teams of a user, by slug." }),
    disabledAt: IsoDateTime.nullable().meta({
      description: "While it is set, every request with its keys and their sessions is refused.",
    }),
    lastSeenAt: IsoDateTime.nullable().meta({
      description: "The last use of one of its keys, recorded at most once a minute.",
    }),
    createdAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({ description: "The key that created it. Null for the operator." }),
  })
  .meta({ id: "Principal" });
export type Principal = z.infer<typeof Principal>;

export const PrincipalFilterFields = z.strictObject({
  type: PrincipalType.optional(),
  q: text({ min: 1, max: PRINCIPAL_LIMITS.emailMax })
    .optional()
    .meta({ description: "Only those with this part of a name or an e-mail address, in any case." }),
});

export const PrincipalPage = z
  .object({ principals: z.array(Principal), nextCursor: z.string().optional() })
  .meta({ id: "PrincipalPage" });

export const CreateServiceAccountRequest = z
  .strictObject({ type: z.literal("service_account"), displayName: DisplayName })
  .meta({ id: "CreateServiceAccountRequest" });

export const RenamePrincipalRequest = z
  .strictObject({ displayName: DisplayName })
  .meta({ id: "RenamePrincipalRequest" });

/** Disables or enables a principal. Null stands for an absent body. */
export const ChangePrincipalStateRequest = z
  .strictObject({})
  .meta({ id: "ChangePrincipalStateRequest" })
  .nullish();
