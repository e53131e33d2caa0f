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

/**
 * Makes a change, unless no active user who may do everything would remain. Call it under the exclusive lock of the organization's keys.
 *
 * @returns false if the change was not made
 */
export async function unlessLastAdministrator(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  change: (tx: DatabaseTransactionConnection) => Promise<void>,
): Promise<boolean> {
  try {
    // In a transaction of its own within this one, of which the change alone is undone.
    await tx.transaction((inner) => keepingAnAdministrator(inner, organizationId, () => change(inner)));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "last_administrator") return false;
    throw error;
  }
}
