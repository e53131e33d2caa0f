import type { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";

/** The endpoints that pass the filter, sorted. An empty method is every method. */
export function filterInventory(
  endpoints: readonly ServiceEndpoint[],
  { text, method }: { text: string; method: string },
  order: string,
): ServiceEndpoint[] {
  const found = endpoints.filter(
    (endpoint) =>
      (method === "" || endpoint.method === method) &&
      matchesText(text, [endpoint.path, endpoint.operationId, endpoint.summary, ...endpoint.tags]),
  );
  return sortRows(found, order, COMPARISONS);
}

const COMPARISONS = {
  method: (a: ServiceEndpoint, b: ServiceEndpoint) => compareText(a.method, b.method),
  path: (a: ServiceEndpoint, b: ServiceEndpoint) => compareText(a.path, b.path),
  firstSeenAt: (a: ServiceEndpoint, b: ServiceEndpoint) =>
    Date.parse(a.firstSeenAt) - Date.parse(b.firstSeenAt),
  lastSeenAt: (a: ServiceEndpoint, b: ServiceEndpoint) => Date.parse(a.lastSeenAt) - Date.parse(b.lastSeenAt),
};
