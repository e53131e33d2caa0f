import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { hasAdministrator } from "@waymark/server/principals/roles.queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/**
 * Makes a change after which an active user who may do everything remains, if there was one before. Call it under the exclusive lock of
 * the organization's keys, so that two changes are made one after the other.
 *
 * @throws AppError `last_administrator`, which undoes the transaction
 */
export async function keepingAnAdministrator(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  change: () => Promise<void>,
): Promise<void> {
  const had = await hasAdministrator(tx, organizationId);
  await change();
  if (!had || (await hasAdministrator(tx, organizationId))) return;
  throw new AppError(
    "last_administrator",
    "This is the organization's last active user who may do everything. Grant the role administrator to another user first.",
  );
}
