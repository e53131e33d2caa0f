import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { searchEndpoints } from "@waymark/shared/endpoint-search/queries.ts";
import {
  ENDPOINT_SEARCH_MAX,
  EndpointSearchResult,
  FoundPosition,
} from "@waymark/shared/endpoint-search/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { listCursor } from "@waymark/shared/lib/cursor.ts";
import { text } from "@waymark/shared/lib/schema.ts";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import { visibleServices } from "../lib/visible-services.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

const SearchQuery = PageQuery.extend({
  q: text({ min: 1, max: ENDPOINT_SEARCH_MAX }).meta({
    description:
      "Words of a method, a path or an operationId, or their beginnings, in any case: `get pay` finds GET /v1/payments.",
  }),
});

const FOUND = listCursor(FoundPosition, { list: "searchEndpoints" });

export function registerEndpointSearchRoute(
  app: ZodApp,
  { db, authenticate }: { db: DatabasePool; authenticate: Authenticate },
): void {
  app.get(
    "/api/endpoints",
    {
      schema: {
        operationId: "searchEndpoints",
        summary: "Search the endpoints of all services",
        description:
          "The endpoints of their current runs, by the service's name, the path and the method. A key whose scope is limited to services finds endpoints of these services only.",
        tags: ["services"],
        querystring: SearchQuery,
        response: { 200: EndpointSearchResult, 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { q, limit, cursor } = request.query;
      const after = FOUND.read(cursor);
      const rows = await withOrganization(db, organizationId, async (tx) => {
        const serviceIds = await visibleServices(tx, actor, "endpoints:read");
        return searchEndpoints(tx, { organizationId, serviceIds, text: q, limit, after });
      });
      const { page, nextCursor } = FOUND.page(rows, limit, ({ position }) => position);
      return { endpoints: page.map(({ endpoint }) => endpoint), nextCursor };
    },
  );
}
