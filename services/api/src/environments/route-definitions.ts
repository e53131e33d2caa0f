import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

// Definitions that the routes of this folder share.

export interface EnvironmentRouteDependencies {
  db: DatabasePool;
  /** Undefined: no secret can be set. */
  keyRing: KeyRing | undefined;
  compiler: Compiler;
}

/**
 * The environment, if the actor may access it.
 *
 * @param environment null if it doesn't exist; who may access only some environments then gets the same response
 * @throws AppError `permission_denied` or `not_found`
 */
export function authorizedEnvironment(
  actor: Actor,
  permission: Permission,
  environment: Environment | null,
): Environment {
  authorize(actor, permission, environment === null ? {} : { environmentId: environment.id });
  if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
  return environment;
}
