import { useInfiniteQuery } from "@tanstack/react-query";
import { getScanRunChanges } from "@waymark/shared/scans/addresses.ts";
import { VERDICT_PAGE_MAX, Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { listServiceChanges } from "@waymark/shared/services/addresses.ts";
import { type ServiceChange, ServiceChangePage } from "@waymark/shared/services/schema.ts";
import { callApi, NO_CURSOR } from "../api.ts";
import { loadAll } from "../load-all.ts";
import { verdictsOf } from "../verdicts/group-verdicts.ts";
import type { EndpointName } from "./endpoint-address.ts";

/** The changes of a service that are looked through at a time: the verdicts of each are a request. */
const CHANGES_EACH = 10;

interface HistoryPage {
  /** The changes of the service that changed the endpoint. */
  changes: readonly {
    scanRunId: string;
    /** The run that it was compared with. */
    baseRunId: string;
    scannedAt: string;
    verdicts: readonly Verdict[];
  }[];
  /** The number of changes whose descriptions were not compared: nothing is known about the endpoint. */
  notCompared: number;
  /** The number of all changes that were looked through. */
  total: number;
  nextCursor: string | undefined;
}

/** The verdicts on an endpoint in the changes of its service, newest first; `fetchNextPage` looks through older changes. */
export function useEndpointHistory(serviceId: string, endpoint: EndpointName, { enabled = true } = {}) {
  return useInfiniteQuery({
    queryKey: ["service", serviceId, "changes", "of-endpoint", endpoint],
    queryFn: ({ signal, pageParam: cursor }) => loadHistory({ serviceId, endpoint, cursor, signal }),
    enabled,
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }: HistoryPage) => nextCursor,
    select: ({ pages }) => ({
      changes: pages.flatMap(({ changes }) => changes),
      notCompared: pages.reduce((sum, page) => sum + page.notCompared, 0),
      total: pages.reduce((sum, page) => sum + page.total, 0),
    }),
  });
}

async function loadHistory(options: {
  serviceId: string;
  endpoint: EndpointName;
  cursor: string | undefined;
  signal: AbortSignal;
}): Promise<HistoryPage> {
  const { serviceId, endpoint, cursor, signal } = options;
  const query = { limit: CHANGES_EACH, cursor };
  const page = await callApi(
    listServiceChanges,
    { params: { serviceId }, query },
    { signal, read: ServiceChangePage },
  );
  const changes: HistoryPage["changes"][number][] = [];
  // One after the other, so that a page does not send all of its requests at once.
  for (const change of page.changes.filter(hasVerdicts)) {
    const { scanRunId, scannedAt, comparison } = change;
    const { against: baseRunId } = comparison;
    if (baseRunId === null) continue;
    const list = {
      address: getScanRunChanges,
      parts: {
        params: { scanRunId },
        query: { against: baseRunId, limit: VERDICT_PAGE_MAX },
      },
      field: "verdicts",
      item: Verdict,
    };
    const verdicts = verdictsOf(await loadAll(list, signal), endpoint);
    if (verdicts.length > 0) changes.push({ scanRunId, baseRunId, scannedAt, verdicts });
  }
  const after = page.changes.filter(({ against }) => against !== null);
  return {
    changes,
    notCompared: after.filter(({ comparison }) => comparison.status !== "compared").length,
    total: page.changes.length,
    nextCursor: page.nextCursor,
  };
}

function hasVerdicts({ comparison: { counts } }: ServiceChange): boolean {
  return counts !== null && counts.breaking + counts.maybe + counts.safe > 0;
}
