import { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import { getScanRunFinding } from "@waymark/shared/scans/addresses.ts";
import {
  EndpointPage,
  RunFinding,
  ScanRun,
  FindingDetails,
  ScanChanges,
} from "@waymark/shared/scans/schema.ts";
import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getScanRunChanges } from "@waymark/shared/scans/addresses.ts";
import { VERDICT_PAGE_MAX } from "@waymark/shared/scans/comparisons/schema.ts";
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { findingsQuery } from "../lib/api-queries.ts";
import { readList, readQuery } from "../lib/read-query.ts";
import { useEndpointRows } from "../lib/use-endpoint-rows.ts";
import { useMay } from "../lib/use-session.ts";
import * as queries from "./api-queries.ts";
import { countAllChanges } from "./describe-changes.ts";

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
    ...readList(findingsQuery(run?.id ?? ""), { field: "findings", item: RunFinding }),
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

/** The interval of requests while the descriptions are being compared. */
const PENDING_MS = 3_000;
/** The number of these requests, for the ten minutes that `describeComparison` names: a forgotten page must not prolong its session for ever. */
const PENDING_QUERIES_MAX = 200;

/**
 * The changes of a run, with the first verdicts on its description; `fetchNextPage` adds more verdicts. While the descriptions
 * are being compared, it is asked for again.
 *
 * @param against another run's id; empty for the previous run
 */
export function useChanges(run: ScanRun | undefined, against: string, { enabled = true } = {}) {
  const { queryKey, parts } = queries.changesQuery(run?.id ?? "", against);
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam: cursor }) => {
      // The first page is the one that the first script asks for.
      const next = cursor === undefined ? {} : { limit: VERDICT_PAGE_MAX, cursor };
      const query = { ...parts.query, ...next };
      const reading = { signal, read: ScanChanges };
      return callApi(getScanRunChanges, { params: { scanRunId: run?.id ?? "" }, query }, reading);
    },
    enabled: enabled && run?.status === "completed",
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: withAllVerdicts,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.comparison.status === "pending" && state.dataUpdateCount < PENDING_QUERIES_MAX
        ? PENDING_MS
        : false,
  });
}

function withAllVerdicts({ pages }: InfiniteData<ScanChanges>): ScanChanges | undefined {
  const [first] = pages;
  return first === undefined ? undefined : { ...first, verdicts: pages.flatMap(({ verdicts }) => verdicts) };
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
  if (data !== undefined) return { changeCount: countAllChanges(data), comparison: data.comparison };
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
