import { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { listServiceEndpoints } from "@waymark/shared/services/addresses.ts";
import { ITEM_PAGE_LIMIT } from "./api-query.ts";
import { loadAll } from "./load-all.ts";

/** The endpoints of the service's current run. */
export function loadInventory(serviceId: string, signal: AbortSignal) {
  const parts = { params: { serviceId }, query: { limit: ITEM_PAGE_LIMIT } };
  return loadAll({ address: listServiceEndpoints, parts, field: "endpoints", item: ServiceEndpoint }, signal);
}
