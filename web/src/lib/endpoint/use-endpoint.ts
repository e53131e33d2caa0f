import { useQuery } from "@tanstack/react-query";
import { listServiceJourneys } from "@waymark/shared/journey-coverage/addresses.ts";
import { ServiceJourneyPage } from "@waymark/shared/journey-coverage/schema.ts";
import { RunFinding, ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { listServiceEndpoints } from "@waymark/shared/services/addresses.ts";
import { findingsQuery } from "../api-queries.ts";
import { apiQuery, ITEM_PAGE_LIMIT, PAGE_LIMIT } from "../api-query.ts";
import { belongsToOperation, operationOf } from "../operation.ts";
import { readList } from "../read-query.ts";
import { useMay } from "../use-session.ts";
import { type EndpointName, isSamePath } from "./endpoint-address.ts";

const KEPT_MS = 60_000;

/** When the endpoint was first and last seen; null if the service's current run lacks it. */
export function useSeen(serviceId: string, { method, path }: EndpointName) {
  const query = apiQuery(["service", serviceId, "all-endpoints"], listServiceEndpoints, {
    params: { serviceId },
    query: { limit: ITEM_PAGE_LIMIT },
  });
  return useQuery({
    ...readList(query, { field: "endpoints", item: ServiceEndpoint }),
    staleTime: KEPT_MS,
    select: (endpoints) => endpoints.find((one) => one.method === method && one.path === path) ?? null,
  });
}

/** The findings of a run on the endpoint, with their places in the run's list. */
export function useFindingsOf(scanRunId: string, { method, path }: EndpointName) {
  return useQuery({
    ...readList(findingsQuery(scanRunId), { field: "findings", item: RunFinding }),
    // The content of a run never changes.
    staleTime: Number.POSITIVE_INFINITY,
    select: (findings) =>
      findings.flatMap((finding, index) =>
        belongsToOperation(operationOf(method, path), finding.method, finding.path)
          ? [{ finding, index }]
          : [],
      ),
  });
}

const ServiceJourney = ServiceJourneyPage.shape.journeys.element;

/** The journeys that call a service. Disabled for sessions without `journeys:read`. */
export function useServiceJourneys(serviceId: string, { enabled = true } = {}) {
  return useQuery(useServiceJourneysQuery(serviceId, enabled));
}

/** The journeys that call the endpoint. Disabled for sessions without `journeys:read`. */
export function useJourneysOf(serviceId: string, { method, path }: EndpointName) {
  return useQuery({
    ...useServiceJourneysQuery(serviceId, true),
    select: (journeys) =>
      journeys.filter(({ operations }) =>
        operations.some((one) => one.method === method && isSamePath(one.path, path)),
      ),
  });
}

function useServiceJourneysQuery(serviceId: string, enabled: boolean) {
  const mayRead = useMay("journeys:read");
  const query = apiQuery(["service", serviceId, "journeys"], listServiceJourneys, {
    params: { serviceId },
    query: { limit: PAGE_LIMIT },
  });
  return {
    ...readList(query, { field: "journeys", item: ServiceJourney }),
    enabled: mayRead && enabled,
    staleTime: KEPT_MS,
  };
}
