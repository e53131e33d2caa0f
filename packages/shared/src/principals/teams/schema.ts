import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";
import { RoleGrant } from "../roles/schema.ts";
import { DisplayName } from "../schema.ts";
import { TeamHandle, TeamSlug } from "../team-names/schema.ts";
import { TEAM_LIMITS } from "./limits.ts";

const Handles = z.array(TeamHandle).max(TEAM_LIMITS.handlesPerTeamMax).meta({
  description:
    "The team's names in CODEOWNERS, such as @acme/payments. Stored in lower case, and each of one team only.",
});

/** A team of users. */
export const Team = z
  .object({
    id: Uuid,
    slug: z.string().meta({ description: "The name that waymark.yaml and filters have." }),
    displayName: z.string(),
    handles: z.array(z.string()),
    memberCount: z.int().min(0),
    serviceCount: z.int().min(0).meta({
      description: "How many services it owns that the caller may read.",
    }),
    isMember: z.boolean().meta({ description: "True if the user of the calling key is a member." }),
    createdAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({ description: "The key that created it. Null for the operator." }),
  })
  .meta({ id: "Team" });
export type Team = z.infer<typeof Team>;

export const TeamList = z.object({ teams: z.array(Team) }).meta({ id: "TeamList" });

export const CreateTeamRequest = z
  .strictObject({ slug: TeamSlug, displayName: DisplayName, handles: Handles.optional() })
  .meta({ id: "CreateTeamRequest" });

/** A change of a team. A field that is left out stays as it is. */
export const UpdateTeamRequest = z
  .strictObject({
    slug: TeamSlug.optional().meta({
      description: "Another slug. Files that have the one before name no team then.",
    }),
    displayName: DisplayName.optional(),
    handles: Handles.optional(),
  })
  .meta({ id: "UpdateTeamRequest" });
export type UpdateTeamRequest = z.infer<typeof UpdateTeamRequest>;

/** A user in a team. */
export const TeamMember = z
  .object({
    principalId: Uuid,
    displayName: z.string(),
    email: z.string().nullable().meta({ description: "Null without principals:read." }),
    disabledAt: IsoDateTime.nullable(),
    source: z.enum(["manual", "provider"]).meta({
      description: "provider: the identity provider's groups add and remove the user.",
    }),
    createdAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({ description: "The key that added the user." }),
  })
  .meta({ id: "TeamMember" });
export type TeamMember = z.infer<typeof TeamMember>;

export const TeamMemberPage = z
  .object({ members: z.array(TeamMember), nextCursor: z.string().optional() })
  .meta({ id: "TeamMemberPage" });

export const TeamRoleGrantList = z
  .object({ roleGrants: z.array(RoleGrant) })
  .meta({ id: "TeamRoleGrantList" });

/** Adds a user to a team. Null stands for an absent body. */
export const AddTeamMemberRequest = z.strictObject({}).meta({ id: "AddTeamMemberRequest" }).nullish();
