import { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import { getScanRunFinding } from "@waymark/shared/scans/addresses.ts";
import {
  EndpointPage,
  RunFinding,
  ScanRun,
  FindingDetails,
  ScanChanges,
} from "@waymark/shared/scans/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { readList, readQuery } from "../lib/read-query.ts";
import { useEndpointRows } from "../lib/use-endpoint-rows.ts";
import { useMay } from "../lib/use-session.ts";
import * as queries from "./api-queries.ts";
import { countChanges } from "./describe-changes.ts";

const LIVE_MS = 500;

/** A scan run, polled twice a second until it is completed or failed. */
export function useScanRun(scanRunId: string) {
  return useQuery({
    ...readQuery(queries.scanRunQuery(scanRunId), ScanRun),
    refetchInterval: ({ state }) => (state.data?.status === "accepted" ? LIVE_MS : false),
  });
}

/** The content of a completed run never changes. */
const FOR_EVER = { staleTime: Number.POSITIVE_INFINITY } as const;

/** The run's first endpoints, and the others once they are requested. */
export function useEndpoints(run: ScanRun | undefined, { enabled = true } = {}) {
  return useEndpointRows({
    query: queries.endpointsQuery(run?.id ?? ""),
    page: EndpointPage,
    enabled: enabled && run?.status === "completed",
    ...FOR_EVER,
  });
}

export function useFindings(run: ScanRun | undefined, { enabled = true } = {}) {
  return useQuery({
    ...readList(queries.findingsQuery(run?.id ?? ""), { field: "findings", item: RunFinding }),
    enabled: enabled && run?.status === "completed",
    ...FOR_EVER,
  });
}

/** @param index the finding's place in the run's list, from 0 */
export function useFindingDetails(scanRunId: string, index: number) {
  return useQuery({
    queryKey: ["scan-run", scanRunId, "findings", index],
    queryFn: ({ signal }) =>
      callApi(getScanRunFinding, { params: { scanRunId, index } }, { signal, read: FindingDetails }),
  });
}

/** @param against another run's id; empty for the previous run */
export function useChanges(run: ScanRun | undefined, against: string, { enabled = true } = {}) {
  return useQuery({
    ...readQuery(queries.changesQuery(run?.id ?? "", against), ScanChanges),
    enabled: enabled && run?.status === "completed",
  });
}

export const RUN_TABS = ["endpoints", "findings", "changes"] as const;

/**
 * Loads the data of the open tab, and the changes, whose number is on their tab. The number of a service's first run is
 * known without them, because everything in it is new.
 */
export function useTabContent(run: ScanRun | undefined, tab: (typeof RUN_TABS)[number], against: string) {
  useEndpoints(run, { enabled: tab === "endpoints" });
  useFindings(run, { enabled: tab !== "changes" });
  const broken = useBrokenJourneys(run);
  const isFirst = against === "" && broken.data?.against === null;
  const enabled = tab === "changes" || (!broken.isLoading && !isFirst);
  const { data } = useChanges(run, against, { enabled });
  if (data !== undefined) return { changeCount: countChanges(data) };
  return { changeCount: isFirst && run !== undefined ? run.endpointCount + run.findingCount : undefined };
}

/** The journeys that call endpoints that the run no longer has. Disabled for sessions without `journeys:read`. */
export function useBrokenJourneys(run: ScanRun | undefined) {
  const mayRead = useMay("journeys:read");
  return useQuery({
    ...readQuery(queries.brokenJourneysQuery(run?.id ?? ""), BrokenJourneys),
    enabled: mayRead && run?.status === "completed",
  });
}
