import { z } from "zod";
import type { ApiKeyScope, Permission } from "../schema.ts";
import { BUILT_IN_ROLES } from "./built-in.ts";

/** A role that a user has. */
export const HeldRole = z.object({
  role: z.string(),
  /** The permissions of one of the organization's own roles; null for a built-in one. */
  permissions: z.array(z.string()).nullable(),
  /** Null if the role is for everything. */
  serviceNames: z.array(z.string()).nullable(),
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
  return roles.flatMap(({ role, permissions, serviceNames }) =>
    (BUILT_IN_ROLES.get(role) ?? permissions ?? []).map((permission): ApiKeyScope => {
      return { permission, ...(serviceNames !== null && { resourceConstraints: { serviceNames } }) };
    }),
  );
}
