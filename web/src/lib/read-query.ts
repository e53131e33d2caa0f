import type { z } from "zod";
import { callAny, type Fits, NO_CURSOR } from "./api.ts";
import type { ApiQuery } from "./api-query.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import { loadAll } from "./load-all.ts";

/** Returns the options of a query whose response is read with a schema. */
export function readQuery<A extends Address, Result>(
  { queryKey, address, parts }: ApiQuery<A>,
  read: z.ZodType<Result> & Fits<A, Result>,
) {
  return {
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => callAny<Result>(address, parts, { signal, read }),
  };
}

/** Returns the options of a query of a whole list. @param list.field the response's field that has the items */
export function readList<T>({ queryKey, ...page }: ApiQuery, list: { field: string; item: z.ZodType<T> }) {
  return {
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => loadAll({ ...page, ...list }, signal),
  };
}

/** Returns the options of a query of a list that is loaded a page at a time. */
export function readPages<A extends Address, Page extends { nextCursor?: string | undefined }>(
  { queryKey, address, parts }: ApiQuery<A>,
  read: z.ZodType<Page> & Fits<A, Page>,
) {
  return {
    queryKey,
    queryFn: ({ signal, pageParam: cursor }: { signal: AbortSignal; pageParam: string | undefined }) =>
      callAny<Page>(address, { ...parts, query: { ...parts.query, cursor } }, { signal, read }),
    initialPageParam: NO_CURSOR,
    getNextPageParam: (last: Page) => last.nextCursor,
  };
}
