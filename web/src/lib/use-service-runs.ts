import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { type ScanRun, ScanRunPage } from "@waymark/shared/scans/schema.ts";
import type { z } from "zod";
import { serviceRunsQuery } from "./api-queries.ts";
import { readPages } from "./read-query.ts";

const LIVE_MS = 2000;

type Page = z.infer<typeof ScanRunPage>;

/**
 * The service's scan runs, newest first: the last 200, and 200 older ones for each `fetchNextPage`.
 *
 * @param options.branch only the runs of this branch; empty for all
 */
export function useServiceRuns(serviceId: string, { branch = "", enabled = true } = {}) {
  return useInfiniteQuery({
    ...readPages(serviceRunsQuery(serviceId, branch), ScanRunPage),
    enabled,
    select: allRuns,
    // A run that isn't stored yet is on the first page.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.scanRuns.some((run) => run.status === "accepted") === true ? LIVE_MS : false,
  });
}

function allRuns(data: InfiniteData<Page>): ScanRun[] {
  return data.pages.flatMap((page) => page.scanRuns);
}
