import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import { requestOutdatedComparisons } from "@waymark/server/scans/comparisons/outdated.queries.ts";
import { nextOrganizationId } from "@waymark/server/scans/retention/queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** The number of services whose comparisons are requested at a time: those of new scans wait behind them. */
const SERVICES_PER_BATCH = 20;

/** Goes through the services of all organizations for comparisons by rules of older versions than this worker's. */
export interface OutdatedComparisons {
  /** Requests those of the next services that have some. Returns false if none has, and for some time after that. */
  requestSome: (closing: AbortSignal) => Promise<boolean>;
}

export function createOutdatedComparisons({
  pool,
  engine,
  everyMs,
}: {
  pool: PgPool;
  engine: number;
  /** The pause between two passes: a worker of an older version may have compared something meanwhile. */
  everyMs: number;
}): OutdatedComparisons {
  let organizationId: string | null = null;
  let afterServiceId = NIL_UUID;
  let nextPassAt = 0;

  /** Requests the comparisons of one batch, and moves on. Returns how many it requested. */
  const requestBatch = async (): Promise<number> => {
    organizationId ??= await nextOrganizationId(pool, NIL_UUID);
    if (organizationId === null) return 0;
    const batch = { organizationId, afterServiceId, batchMax: SERVICES_PER_BATCH, engine };
    const { found, lastServiceId, requested } = await withOrganizationClient(pool, organizationId, (client) =>
      requestOutdatedComparisons(client, batch),
    );
    if (found === SERVICES_PER_BATCH && lastServiceId !== null) afterServiceId = lastServiceId;
    else {
      afterServiceId = NIL_UUID;
      organizationId = await nextOrganizationId(pool, organizationId);
    }
    return requested;
  };

  return {
    async requestSome(closing) {
      while (!closing.aborted && performance.now() >= nextPassAt) {
        const requested = await requestBatch();
        if (organizationId === null) nextPassAt = performance.now() + everyMs;
        if (requested > 0) return true;
      }
      return false;
    },
  };
}
