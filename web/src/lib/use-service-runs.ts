import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { type ScanRun, ScanRunPage } from "@waymark/shared/scans/schema.ts";
import { listServiceScanRuns } from "@waymark/shared/services/addresses.ts";
import type { z } from "zod";
import { callApi, NO_CURSOR } from "./api.ts";

const PAGE_LIMIT = 200;
const LIVE_MS = 2000;

type Page = z.infer<typeof ScanRunPage>;

/**
 * The service's scan runs, newest first: the last 200, and 200 older ones for each `fetchNextPage`.
 *
 * @param options.branch only the runs of this branch; empty for all
 */
export function useServiceRuns(serviceId: string, { branch = "", enabled = true } = {}) {
  return useInfiniteQuery({
    queryKey: ["service", serviceId, "scan-runs", branch],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        listServiceScanRuns,
        { params: { serviceId }, query: { limit: PAGE_LIMIT, branch: branch || undefined, cursor } },
        { signal, read: ScanRunPage },
      ),
    enabled,
    initialPageParam: NO_CURSOR,
    getNextPageParam: (last: Page) => last.nextCursor,
    select: allRuns,
    // A run that isn't stored yet is on the first page.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.scanRuns.some((run) => run.status === "accepted") === true ? LIVE_MS : false,
  });
}

function allRuns(data: InfiniteData<Page>): ScanRun[] {
  return data.pages.flatMap((page) => page.scanRuns);
}
