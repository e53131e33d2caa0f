import { z } from "zod";
import type { ApiKeyScope, Permission } from "../schema.ts";
import { BUILT_IN_ROLES } from "./built-in.ts";

/** A role that a user has. */
export const HeldRole = z.object({
  role: z.string(),
  /** The permissions of one of the organization's own roles; null for a built-in one. */
  permissions: z.array(z.string()).nullable(),
  /** Null if the role is not limited to names of services. */
  serviceNames: z.array(z.string()).nullable(),
  /** The services that a team owns now, if the role is for these; null if it is not limited to them. */
  serviceIds: z.array(z.string()).nullable(),
});
export type HeldRole = z.infer<typeof HeldRole>;

/** The permission that every user has, whatever the roles. */
const OF_EVERY_USER: Permission = "personal-keys:manage";

/** Returns what a user may do, as the scopes that keys have. */
export function scopesOfUser(roles: readonly HeldRole[]): ApiKeyScope[] {
  return [{ permission: OF_EVERY_USER }, ...scopesOfRoles(roles)];
}

/** Returns what roles grant, as the scopes that keys have. */
export function scopesOfRoles(roles: readonly HeldRole[]): ApiKeyScope[] {
  return roles.flatMap((held) => {
    const { serviceNames, serviceIds } = held;
    const resourceConstraints = {
      ...(serviceNames !== null && { serviceNames }),
      ...(serviceIds !== null && { serviceIds }),
    };
    const isLimited = serviceNames !== null || serviceIds !== null;
    return permissionsOf(held).map((permission): ApiKeyScope => {
      return { permission, ...(isLimited && { resourceConstraints }) };
    });
  });
}

/** Returns the permissions of a role. One that there is not has none. */
export function permissionsOf({
  role,
  permissions,
}: Pick<HeldRole, "role" | "permissions">): readonly string[] {
  return BUILT_IN_ROLES.get(role) ?? permissions ?? [];
}

/**
 * Returns what somebody gives or takes with roles. A role for the services that a team owns counts as one for everything: tomorrow the team may
 * own any service.
 */
export function scopesToHandOn(roles: readonly HeldRole[]): ApiKeyScope[] {
  return scopesOfRoles(roles.map((held) => ({ ...held, serviceIds: null })));
}
