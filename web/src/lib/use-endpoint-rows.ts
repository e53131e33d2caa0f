import { type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { z } from "zod";
import { callApi } from "./api.ts";
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
 * @param list.address without parameters
 */
export function useEndpointRows<Row>(list: {
  queryKey: QueryKey;
  address: string;
  page: z.ZodType<EndpointPage<Row>>;
  enabled?: boolean;
  staleTime?: number;
}) {
  const { queryKey, address, page, enabled = true, staleTime = 0 } = list;
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ limit: String(pageParam === "" ? FIRST_ROWS : ITEM_PAGE_LIMIT) });
      if (pageParam !== "") query.set("cursor", pageParam);
      return callApi(page, `${address}?${query}`, { signal });
    },
    enabled,
    staleTime,
    initialPageParam: "",
    getNextPageParam: (last: EndpointPage<Row>) => last.nextCursor,
    select: allEndpoints<Row>,
  });
}

function allEndpoints<Row>(data: InfiniteData<EndpointPage<Row>, string>): Row[] {
  return data.pages.flatMap((page) => page.endpoints);
}

/** Loads the endpoints below the window once what is in it is there. If that fails, the shell says so, and its button tries again. */
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

/** What a table shows of rows of which the last ones may not be there yet. */
interface ShownRows<Row> {
  /** Undefined until all are there, if what the window shows needs all of them. */
  rows: readonly Row[] | undefined;
  /** How many rows the table has once all are there. */
  total: number;
  /** How many rows pass the filters; undefined until that is known. */
  count: number | undefined;
  /** What a download has; undefined until all rows are there. */
  all: readonly Row[] | undefined;
}

/**
 * @param loaded.shown of the rows that are there, those that pass the filters, in the chosen order
 * @param loaded.total how many there will be
 * @param loaded.isAsSubmitted whether nothing is filtered or sorted: then the first rows are known to be first
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
