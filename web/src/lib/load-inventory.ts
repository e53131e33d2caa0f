import { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { ITEM_PAGE_LIMIT, loadAll } from "./load-all.ts";

/** The endpoints of the service's current run. */
export function loadInventory(serviceId: string, signal: AbortSignal) {
  const url = `/api/services/${encodeURIComponent(serviceId)}/endpoints`;
  return loadAll(ServiceEndpoint, url, "endpoints", signal, ITEM_PAGE_LIMIT);
}
