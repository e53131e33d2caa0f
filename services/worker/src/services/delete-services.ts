import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { deleteServiceData } from "@waymark/server/services/lifecycle.queries.ts";
import { eachOrganization } from "../lib/each-organization.ts";
import { repeat } from "../lib/repeat.ts";

const DELETE_MS = 10_000;
/** Small transactions, so that none holds its locks for long, and little is done again after a crash. */
const RUNS_PER_BATCH = 500;
const NOT_DELETED = "the data of deleted services could not be deleted";

/**
 * Deletes what deleted services had, about every ten seconds. Nobody sees these services any more, so it does not matter how long that
 * takes, and a worker that ends in between leaves the rest to the next one.
 */
export function startDeletingServices({ pool, logger }: { pool: PgPool; logger: Logger }): {
  close: () => Promise<void>;
} {
  const closing = new AbortController();
  const deleting = repeat(() => deleteServices({ pool, logger }, closing.signal), {
    everyMs: DELETE_MS,
    onError: (error) => logger.error({ err: error }, NOT_DELETED),
  });
  return {
    async close() {
      closing.abort();
      await deleting.stop();
    },
  };
}

/**
 * Goes through the organizations. Those with much to delete take turns with the others, a batch each. A fault of one organization ends its
 * turns until the next time, and no others.
 */
async function deleteServices(
  { pool, logger }: { pool: PgPool; logger: Logger },
  closing: AbortSignal,
): Promise<void> {
  let organizations: string[] = [];
  for await (const organizationId of eachOrganization(pool)) organizations.push(organizationId);
  let runs = 0;
  while (organizations.length > 0) {
    const left: string[] = [];
    for (const organizationId of organizations) {
      if (closing.aborted) return;
      const deleted = await withOrganizationClient(pool, organizationId, (client) =>
        deleteServiceData(client, { organizationId, batchMax: RUNS_PER_BATCH }),
      ).catch((error: unknown) => {
        logger.error({ err: error, organizationId }, NOT_DELETED);
        return { runs: 0, rows: 0 };
      });
      runs += deleted.runs;
      if (deleted.runs + deleted.rows > 0) left.push(organizationId);
    }
    organizations = left;
  }
  if (runs > 0) logger.info({ runs }, "the data of deleted services deleted");
}
