import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { z } from "zod";
import { callAny, NO_CURSOR } from "./api.ts";
import { type ApiQuery, ITEM_PAGE_LIMIT } from "./api-query.ts";

interface EndpointPage<Row> {
  endpoints: Row[];
  nextCursor?: string | undefined;
}

/**
 * The first endpoints of a list, and all others after `fetchNextPage`: 2,000 of a large API are 52 kB, its first 100 are 3 kB.
 *
 * @param list.query the query of the first endpoints
 * @param list.page reads a page of the list
 */
export function useEndpointRows<Row>(list: {
  query: ApiQuery;
  page: z.ZodType<EndpointPage<Row>>;
  enabled?: boolean;
  staleTime?: number;
}) {
  const { query: first, page, enabled = true, staleTime = 0 } = list;
  return useInfiniteQuery({
    queryKey: first.queryKey,
    queryFn: ({ signal, pageParam: cursor }) => {
      const next = cursor === undefined ? {} : { limit: ITEM_PAGE_LIMIT, cursor };
      const query = { ...first.parts.query, ...next };
      return callAny(first.address, { ...first.parts, query }, { signal, read: page });
    },
    enabled,
    staleTime,
    initialPageParam: NO_CURSOR,
    getNextPageParam: (last: EndpointPage<Row>) => last.nextCursor,
    select: allEndpoints<Row>,
  });
}

function allEndpoints<Row>(data: InfiniteData<EndpointPage<Row>>): Row[] {
  return data.pages.flatMap((page) => page.endpoints);
}

/**
 * Loads the endpoints below the window once those in it are loaded. If that fails, the shell says so and offers to
 * retry.
 */
export function useOtherEndpoints(
  endpoints: ReturnType<typeof useEndpointRows<unknown>>,
  { enabled = true } = {},
): void {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = endpoints;
  const isWanted = enabled && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (isWanted) void fetchNextPage();
  }, [isWanted, fetchNextPage]);
}

/** The rows that a table shows, the last of which may not be loaded yet. */
interface ShownRows<Row> {
  /** Undefined until all rows are loaded, if the window needs all of them. */
  rows: readonly Row[] | undefined;
  /** The number of rows that the table has once all are loaded. */
  total: number;
  /** The number of rows that pass the filters; undefined until it is known. */
  count: number | undefined;
  /** The rows of a download; undefined until all are loaded. */
  all: readonly Row[] | undefined;
}

/**
 * @param loaded.shown the loaded rows that pass the filters, in the chosen order
 * @param loaded.total the number of rows once all are loaded
 * @param loaded.isAsSubmitted true if nothing is filtered or sorted: the first loaded rows are then the first of all
 */
export function shownRows<Row>(loaded: {
  shown: readonly Row[];
  total: number;
  isWhole: boolean;
  isAsSubmitted: boolean;
  isPrinting: boolean;
}): ShownRows<Row> {
  const { shown, total, isWhole, isAsSubmitted, isPrinting } = loaded;
  if (isWhole) return { rows: shown, total: shown.length, count: shown.length, all: shown };
  return {
    rows: isAsSubmitted && !isPrinting ? shown : undefined,
    total,
    count: isAsSubmitted ? total : undefined,
    all: undefined,
  };
}
