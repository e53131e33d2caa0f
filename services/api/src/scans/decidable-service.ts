import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { credentialIn } from "@waymark/shared/lib/find-credentials.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../lib/authenticate.ts";
import { accessedService } from "../lib/visible-services.ts";
import { validationError } from "../lib/zod-routes.ts";

/**
 * Checks that the key has a permission for a service.
 *
 * @param serviceId undefined for that of something that does not exist
 * @param what the thing that a message calls missing
 * @returns the id of the service as it is stored
 * @throws AppError `permission_denied` or `not_found`
 */
export async function authorizeService(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  permission: Permission,
  { serviceId, what = "service" }: { serviceId: string | undefined; what?: string },
): Promise<string> {
  const actor = actorOf(request);
  const { organizationId } = actor;
  const found = serviceId === undefined ? null : await findServiceNames(tx, { organizationId, serviceId });
  authorize(actor, permission, accessedService(found));
  if (found === null) throw new AppError("not_found", `There is no ${what} with this id.`);
  return found.id;
}

/** Everybody who may read findings sees these texts, and they stay in the audit log. @throws AppError `validation_failed` */
export function refuseCredentials(texts: Readonly<Record<string, string | null | undefined>>): void {
  const found = Object.entries(texts).filter(([, text]) => credentialIn(text ?? "") !== undefined);
  if (found.length === 0) return;
  const message = "must not contain an API key, a token or a private key";
  throw validationError(found.map(([path]) => ({ path, message })));
}
