import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FoundScanRun } from "@waymark/server/scans/queries.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../lib/authenticate.ts";
import { serviceOfRun } from "../lib/visible-services.ts";

/**
 * Finds a run if it exists and the key has the permission for it. Without the permission, the response doesn't show
 * whether the run exists.
 *
 * @throws AppError `permission_denied` or `not_found`
 */
export function authorizedRun(
  request: FastifyRequest,
  permission: Permission,
  run: FoundScanRun | null,
): FoundScanRun {
  authorize(actorOf(request), permission, serviceOfRun(run));
  if (run === null) throw new AppError("not_found", "There is no scan run with this id.");
  return run;
}
