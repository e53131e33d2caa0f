import { z } from "zod";
import { PermissionName } from "../../api-keys/schema.ts";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { TeamSlug } from "../team-names/schema.ts";

export const ROLE_LIMITS = {
  nameMax: 63,
  rolesMax: 100,
  permissionsMax: 100,
  grantsPerUserMax: 20,
  serviceNamesMax: 50,
} as const;

export const RoleName = z
  .string()
  .max(ROLE_LIMITS.nameMax)
  .regex(/^[a-z][a-z0-9-]*$/, "must have lower-case letters, digits and hyphens, and begin with a letter")
  .meta({ id: "RoleName" });

/** A named set of permissions. */
export const Role = z
  .object({
    name: RoleName,
    permissions: z.array(PermissionName),
    builtIn: z.boolean().meta({ description: "True for a role that every organization has." }),
  })
  .meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

export const RoleList = z.object({ roles: z.array(Role) }).meta({ id: "RoleList" });

export const SetRoleRequest = z
  .strictObject({
    permissions: z
      .array(PermissionName)
      .min(1, "must have at least 1 item")
      .max(ROLE_LIMITS.permissionsMax)
      .refine((permissions) => new Set(permissions).size === permissions.length, "must not repeat an item"),
  })
  .meta({ id: "SetRoleRequest" });

const ServicePattern = text({ min: 1, max: 121 }).regex(
  /^[^*]*\*?$/,
  "must be a name, or a name that ends in one *",
);

/** Names of services for which a role is granted, or beginnings of names. */
export const ServiceNames = z
  .array(ServicePattern)
  .min(1, "must have at least 1 item, or be null for everything")
  .max(ROLE_LIMITS.serviceNamesMax)
  .meta({
    description:
      "Names of services, or beginnings of names that end in *. The role then grants only what belongs to such a service. Null: everything.",
  });

const OWNED_BY =
  "The slug of a team: the role grants only what belongs to a service that the team owns at the time of a request.";

/** A role of a user or a team. */
export const RoleGrant = z
  .object({
    id: Uuid,
    role: z.string(),
    serviceNames: z.array(z.string()).nullable(),
    ownedBy: z
      .string()
      .nullable()
      .meta({ description: `${OWNED_BY} Null: not limited by it.` }),
    createdAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({
      description: "The key that granted it. Null for the operator, and for an identity provider.",
    }),
    identityProviderId: Uuid.nullable().meta({
      description:
        "The identity provider whose groups gave it, and take it away. Null if it was granted by hand.",
    }),
  })
  .meta({ id: "RoleGrant" });
export type RoleGrant = z.infer<typeof RoleGrant>;

export const GrantRoleRequest = z
  .strictObject({
    role: RoleName,
    serviceNames: ServiceNames.nullable().optional(),
    ownedBy: TeamSlug.nullable().optional().meta({ description: OWNED_BY }),
  })
  .refine(({ serviceNames, ownedBy }) => (serviceNames ?? null) === null || (ownedBy ?? null) === null, {
    message: "can't be combined with serviceNames: grant the role twice",
    path: ["ownedBy"],
  })
  .meta({ id: "GrantRoleRequest" });
export type GrantRoleRequest = z.infer<typeof GrantRoleRequest>;
