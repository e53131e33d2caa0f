import { type ScanRun, ScanRunPage } from "@waymark/shared/scans/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "./api.ts";

/** The service's runs, newest first: the last 200. */
export function useServiceRuns(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId, "scan-runs"],
    queryFn: ({ signal }) => loadRecentRuns(serviceId, signal),
  });
}

async function loadRecentRuns(serviceId: string, signal: AbortSignal): Promise<ScanRun[]> {
  const { scanRuns } = await callApi(
    ScanRunPage,
    `/api/services/${encodeURIComponent(serviceId)}/scan-runs?limit=200`,
    { signal },
  );
  return scanRuns;
}
