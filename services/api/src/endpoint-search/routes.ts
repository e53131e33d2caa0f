import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { searchEndpoints } from "@waymark/server/endpoint-search/queries.ts";
import { FoundPosition } from "@waymark/shared/endpoint-search/schema.ts";
import { listCursor } from "@waymark/server/lib/cursor.ts";
import * as operations from "@waymark/shared/endpoint-search/operations.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { actorOf } from "../lib/authenticate.ts";
import { visibleServices } from "../lib/visible-services.ts";
import type { Serve } from "../lib/serve.ts";

const FOUND = listCursor(FoundPosition, { list: "searchEndpoints" });

export function registerEndpointSearchRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.searchEndpoints, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { q, limit, cursor } = request.query;
    const after = FOUND.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const serviceIds = await visibleServices(tx, actor, "endpoints:read", request.query);
      const rows = await searchEndpoints(tx, { organizationId, serviceIds, text: q, limit, after });
      const { page, nextCursor } = FOUND.page(rows, limit, ({ position }) => position);
      const found = page.map(({ endpoint }) => endpoint);
      return { endpoints: await withOwners(tx, { organizationId, rows: found }), nextCursor };
    });
  });
}
