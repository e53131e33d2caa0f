import { text } from "../lib/schema.ts";
import { PageQuery } from "../operations/page-query.ts";
import { ENDPOINT_SEARCH_MAX, EndpointSearchResult } from "./schema.ts";
import { ServiceFilterFields } from "../services/filter/schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const SearchQuery = PageQuery.extend({
  q: text({ min: 1, max: ENDPOINT_SEARCH_MAX }).meta({
    description:
      "Words of a method, a path or an operationId, or their beginnings, in any case: `get pay` finds GET /v1/payments.",
  }),
  ...ServiceFilterFields.shape,
});

export const searchEndpoints = operation({
  id: "searchEndpoints",
  ...addresses.searchEndpoints,
  summary: "Search the endpoints of all services",
  description:
    "The endpoints of the current runs of services that are not archived, by the service's name, the path and the method. A key whose scope is limited to services finds endpoints of these services only.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: SearchQuery,
  responses: { 200: EndpointSearchResult },
});
