import { useEffect } from "react";
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
import { ScanGatesOfRun } from "@waymark/shared/scans/gates/schema.ts";
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { findingsQuery } from "../lib/api-queries.ts";
import { readList, readQuery } from "../lib/read-query.ts";
import { useEndpointRows } from "../lib/use-endpoint-rows.ts";
import { useMay } from "../lib/use-session.ts";
import * as queries from "./api-queries.ts";

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
function useChanges(run: ScanRun | undefined, against: string, { enabled = true } = {}) {
  const mayRead = useMay("endpoints:read");
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
    enabled: enabled && mayRead && run?.status === "completed",
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
  const [first, last] = [pages[0], pages.at(-1)];
  if (first === undefined) return undefined;
  return { ...first, verdicts: pages.flatMap(({ verdicts }) => verdicts), nextCursor: last?.nextCursor };
}

export const RUN_TABS = ["changes", "endpoints", "findings"] as const;

type RunTab = (typeof RUN_TABS)[number];

/**
 * The changes of a run, which all tabs need for the verdict. Those of a service's first run are known without a request: there is nothing
 * to compare with, and the API would list everything as new.
 *
 * @param against another run's id; empty for the previous run
 */
export function useRunChanges(run: ScanRun | undefined, { tab, against }: { tab: RunTab; against: string }) {
  const broken = useBrokenJourneys(run);
  const isFirst = against === "" && broken.data?.against === null;
  // On the other tabs, the response about journeys says first whether there are changes.
  const enabled = tab === "changes" || (!broken.isLoading && !isFirst);
  const query = useChanges(run, against, { enabled });
  const { data = isFirst && run !== undefined ? firstChanges(run) : undefined } = query;
  return { ...query, data, isWaiting: data === undefined && (query.isLoading || broken.isLoading) };
}

/** Loads the verdicts after the first ones, which are the most severe. If that fails, the shell says so, and a button tries again. */
export function useOtherVerdicts(
  changes: ReturnType<typeof useRunChanges>,
  { enabled }: { enabled: boolean },
) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = changes;
  const isWanted = enabled && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (isWanted) void fetchNextPage();
  }, [isWanted, fetchNextPage]);
}

function firstChanges({ id }: ScanRun): ScanChanges {
  return {
    scanRunId: id,
    against: null,
    previous: null,
    endpoints: { added: [], removed: [], changed: [] },
    findings: { new: [], fixed: [], removedWithEndpoint: [], severityChanged: [] },
    comparison: {
      status: "not_compared",
      reason: "no_base",
      against: null,
      counts: null,
      notListed: 0,
      notCompared: [],
      comparedAt: null,
      rules: null,
    },
    verdicts: [],
  };
}

/** Loads the data of the open tab, besides the changes, of which each tab shows the verdict. */
export function useTabContent(run: ScanRun | undefined, tab: RunTab) {
  useEndpoints(run, { enabled: tab === "endpoints" });
  useFindings(run, { enabled: tab !== "changes" });
}

/** The gates that a run's client judged it by, with what failed; none if it has sent no verdict. */
export function useGates(run: ScanRun) {
  const mayRead = useMay("endpoints:read");
  return useQuery({
    ...readQuery(queries.gatesQuery(run.id), ScanGatesOfRun),
    enabled: mayRead && run.gates !== null,
  });
}

/** The journeys that call endpoints that the run no longer has. Disabled for sessions without `journeys:read`. */
export function useBrokenJourneys(run: ScanRun | undefined) {
  const mayRead = useMay("journeys:read");
  return useQuery({
    ...readQuery(queries.brokenJourneysQuery(run?.id ?? ""), BrokenJourneys),
    enabled: mayRead && run?.status === "completed",
  });
}
