import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/** @throws AppError `organization_mismatch` if a request names an organization other than its key's */
export function assertOwnOrganization(actor: Actor, organizationId: string | undefined): void {
  if (organizationId === undefined) return;
  if (organizationId.toLowerCase() === actor.organizationId) return;
  throw new AppError("organization_mismatch", "This API key belongs to another organization.");
}
