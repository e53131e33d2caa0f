import { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { listServiceEndpoints } from "@waymark/shared/services/addresses.ts";
import { ITEM_PAGE_LIMIT, loadAll } from "./load-all.ts";

/** The endpoints of the service's current run. */
export function loadInventory(serviceId: string, signal: AbortSignal) {
  const parts = { params: { serviceId } };
  const list = { address: listServiceEndpoints, parts, field: "endpoints", item: ServiceEndpoint };
  return loadAll({ ...list, limit: ITEM_PAGE_LIMIT }, signal);
}
