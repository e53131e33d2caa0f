import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { AppError } from "../../errors/app-error.ts";
import { firstNetworkOutside } from "../networks.ts";
import { type FullAccessKey, findFullAccessKeys } from "./queries.ts";

/**
 * Passes when an organization can still do everything after these keys end: for each of them that holds `*` without a
 * constraint and is usable, another such key remains. That one must be usable from the same networks, and for as long
 * or for another day: time enough to make the next one. Hold the lock of `lockKeyChanges` alone.
 *
 * @throws AppError `last_full_access_key`
 */
export async function assertFullAccessRemains(
  tx: DatabaseTransactionConnection,
  { organizationId, endingIds }: { organizationId: string; endingIds: readonly string[] },
): Promise<void> {
  const keys = { organizationId, apiKeyIds: endingIds };
  const ending = await findFullAccessKeys(tx, { ...keys, named: true });
  if (ending.length === 0) return;
  const remaining = await findFullAccessKeys(tx, { ...keys, named: false });
  if (ending.every((ended) => remaining.some((other) => canReplace(other, ended)))) return;
  throw new AppError(
    "last_full_access_key",
    "Nobody in this organization could do everything any more: this is its last usable key that holds * without constraints" +
      " and lasts for another day. Rotate it (graceSeconds 0 ends it at once), or create another key with * first." +
      " The operator can revoke it: npm run admin -- revoke-key ID.",
  );
}

/** Whether a key may stand in for one that ends. */
export function canReplace(other: FullAccessKey, ended: FullAccessKey): boolean {
  const lastsAsLong =
    other.lasting ||
    (ended.expires_at !== null && other.expires_at !== null && other.expires_at >= ended.expires_at);
  if (!lastsAsLong || other.allowed_networks === null) return lastsAsLong;
  return (
    ended.allowed_networks !== null &&
    firstNetworkOutside(ended.allowed_networks, other.allowed_networks) === undefined
  );
}
