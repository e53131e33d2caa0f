import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import type { KeyRing } from "@waymark/shared/encryption/key-ring.ts";
import type { Compiler } from "@waymark/shared/journeys/compiler/compiler.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import type { Authenticate } from "../lib/authenticate.ts";

// Definitions that the routes of this folder share.

export interface EnvironmentRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  /** Undefined: no secret can be set. */
  keyRing: KeyRing | undefined;
  compiler: Compiler;
}

export const EnvironmentParams = z.object({ environmentId: Uuid });

export const ENVIRONMENT_ERRORS = {
  400: ErrorResponse,
  401: ErrorResponse,
  403: ErrorResponse,
  429: ErrorResponse,
};

/** Of routes that change one environment or a part of it. */
export const CHANGE_ERRORS = { ...ENVIRONMENT_ERRORS, 404: ErrorResponse, 409: ErrorResponse };

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
