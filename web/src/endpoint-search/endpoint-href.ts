import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { endpointAddress } from "../lib/endpoint/endpoint-address.ts";

/** The address of the endpoint's page. */
export function endpointHref(endpoint: Pick<FoundEndpoint, "serviceId" | "method" | "path">): string {
  return endpointAddress(endpoint.serviceId, endpoint);
}
