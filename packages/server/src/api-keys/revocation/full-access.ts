import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { firstNetworkOutside } from "../networks.ts";
import { type FullAccessKey, findFullAccessKeys } from "./queries.ts";

/**
 * Checks that an organization keeps full access when these keys end: for each usable key with an unconstrained `*`,
 * another such key remains. It must be usable from the same networks, and as long or for at least another day, which is
 * enough time to create the next one. The caller must hold the exclusive lock of `lockKeyChanges`.
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
    "This is the organization's last usable key with full access (* without constraints) that is valid for another day." +
      " Rotate it (graceSeconds 0 ends it immediately), or create another key with * first." +
      " The operator can revoke it: npm run admin -- revoke-key ID.",
  );
}

/** Whether a key can replace another that ends. */
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
