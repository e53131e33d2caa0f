import { type Actor, authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import { type AccessedResource, scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { accessedService } from "../lib/visible-services.ts";

interface Naming {
  service: Pick<Service, "id" | "name" | "aliases">;
  names: { name: string; aliases: readonly string[] };
}

/**
 * Checks that the actor may give a service new names. A name is taken from all services of the organization, so each new one needs the
 * permission to create a service of this name. It is checked before anybody looks whether the name is taken: a key that is limited to one
 * service learns nothing about others.
 *
 * @throws AppError `permission_denied`
 */
export function assertMayName(actor: Actor, { service, names }: Naming): void {
  const before = new Set([service.name, ...service.aliases]);
  for (const serviceName of [names.name, ...names.aliases]) {
    if (!before.has(serviceName)) authorizeAll(actor, ["services:create"], { serviceName });
  }
  assertGainsNothing(actor, { service, names });
}

/** A scope that is limited to names covers the services that have them: nobody renames a service to reach it with more permissions. */
function assertGainsNothing(actor: Actor, { service, names }: Naming): void {
  const before = accessedService(service);
  const after = accessedService({ id: service.id, ...names });
  const has = (permission: string, resource: AccessedResource) =>
    actor.scopes.some((scope) => scopeAllows(scope, permission, resource));
  const gained = actor.scopes.find(({ permission }) => has(permission, after) && !has(permission, before));
  if (gained === undefined) return;
  throw new AppError(
    "permission_denied",
    `With these names, this API key would have the permission ${gained.permission} for a service for which it lacks it. Use a key that has it.`,
  );
}
