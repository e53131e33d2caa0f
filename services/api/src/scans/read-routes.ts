import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, PgPool } from "@waymark/server/db/pool.ts";
import { ItemPosition, type ListCursor, listCursor } from "@waymark/server/lib/cursor.ts";
import { listEndpoints, listFindings } from "@waymark/server/scans/content/queries.ts";
import { describeFindings } from "@waymark/server/scans/finding-decisions/describe-findings.ts";
import { readEndedScanRuns } from "@waymark/server/scans/progress.queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import * as operations from "@waymark/shared/scans/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Waits } from "../lib/waits/waits.ts";
import { authorizedRun } from "./authorized-run.ts";
import type { RequestOf, Serve } from "../lib/serve.ts";

interface ReadRouteDependencies {
  db: DatabasePool;
  pool: PgPool;
  waits: Waits;
}

const ENDPOINTS = listCursor(ItemPosition, { list: "listScanRunEndpoints" });
const FINDINGS = listCursor(ItemPosition, { list: "listScanRunFindings" });

export function registerScanRunRoutes(serve: Serve, { db, pool, waits }: ReadRouteDependencies): void {
  const runWaits = waits.watch((rows) => readEndedScanRuns(pool, rows));
  serve(operations.getScanRun, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { scanRunId } = request.params;
    const { waitSeconds } = request.query;
    const read = async () => {
      const run = await withOrganization(db, organizationId, (tx) =>
        findScanRun(tx, { organizationId, scanRunId }),
      );
      return authorizedRun(request, "services:read", run);
    };
    const run = await read();
    if (waitSeconds === 0 || run.status !== "accepted") return run;
    await runWaits.until({ actor, reply, id: run.id, waitSeconds }, (isEnded) => isEnded);
    return read();
  });

  serve(operations.listScanRunEndpoints, async (request) => {
    const { page, nextCursor } = await readPage(db, request, {
      listItems: listEndpoints,
      cursors: ENDPOINTS,
    });
    return { endpoints: page.map((row) => row.endpoint), nextCursor };
  });

  // Written out like that of the endpoints: the schemas are types, which one function for both would have to give up.
  serve(operations.listScanRunFindings, async (request) => {
    const { organizationId } = actorOf(request);
    const { page, run, nextCursor } = await readPage(db, request, {
      listItems: listFindings,
      cursors: FINDINGS,
    });
    const listed = page.map(({ finding }) => finding);
    const findings = await withOrganization(db, organizationId, (tx) =>
      describeFindings(tx, { organizationId, serviceId: run.serviceId }, listed),
    );
    return { findings, nextCursor };
  });
}

/** A page of a run's items, for a caller that may read them. */
function readPage<Row extends { position: ItemPosition }>(
  db: DatabasePool,
  request: RequestOf<typeof operations.listScanRunEndpoints>,
  {
    listItems,
    cursors,
  }: {
    listItems: (
      tx: Parameters<typeof listEndpoints>[0],
      page: Parameters<typeof listEndpoints>[1],
    ) => Promise<readonly Row[]>;
    cursors: ListCursor<ItemPosition>;
  },
) {
  const { organizationId } = actorOf(request);
  const { limit, cursor } = request.query;
  const { scanRunId } = request.params;
  const ofRun = cursors.below(scanRunId);
  const page = { organizationId, scanRunId, limit, after: ofRun.read(cursor) };
  return withOrganization(db, organizationId, async (tx) => {
    const run = authorizedRun(request, "endpoints:read", await findScanRun(tx, page));
    return { run, ...ofRun.page(await listItems(tx, page), limit, ({ position }) => position) };
  });
}
