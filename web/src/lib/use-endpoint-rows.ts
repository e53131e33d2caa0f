import { type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Address } from "@waymark/shared/operations/operation.ts";
import type { z } from "zod";
import { callAny, NO_CURSOR } from "./api.ts";
import { ITEM_PAGE_LIMIT } from "./load-all.ts";

/** More rows than the highest window shows. */
const FIRST_ROWS = 100;

interface EndpointPage<Row> {
  endpoints: Row[];
  nextCursor?: string | undefined;
}

/**
 * The first endpoints of a list, and all others after `fetchNextPage`: 2,000 of a large API are 52 kB, its first 100 are 3 kB.
 *
 * @param list.page reads a page of the list
 */
export function useEndpointRows<Row>(list: {
  queryKey: QueryKey;
  address: Address;
  params: Readonly<Record<string, string>>;
  page: z.ZodType<EndpointPage<Row>>;
  enabled?: boolean;
  staleTime?: number;
}) {
  const { queryKey, address, params, page, enabled = true, staleTime = 0 } = list;
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam: cursor }) => {
      const query = { limit: cursor === undefined ? FIRST_ROWS : ITEM_PAGE_LIMIT, cursor };
      return callAny(address, { params, query }, { signal, read: page });
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
