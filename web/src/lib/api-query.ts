import type { OperationAt } from "@waymark/shared/all-operations.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import type { AnyParts, PartsOf } from "@waymark/shared/operations/request.ts";

/** The largest pages that the API has: of lists, and of a scan's endpoints and findings. */
export const PAGE_LIMIT = 200;
export const ITEM_PAGE_LIMIT = 2000;
/** The number of endpoints that a page asks for first: more rows than the highest window shows. */
export const FIRST_ROWS = 100;

/**
 * A query of the API: the key of its data in the cache, and the request that loads it. The schema of the response is not a part of
 * it, so that the first script can send it before zod is there.
 */
export interface ApiQuery<A extends Address = Address> {
  readonly queryKey: readonly unknown[];
  readonly address: A;
  readonly parts: Pick<AnyParts, "params" | "query">;
}

/** Returns a query whose parts are those that its operation declares. */
export function apiQuery<const A extends Address>(
  queryKey: readonly unknown[],
  address: A,
  parts: PartsOf<OperationAt<A>>,
): ApiQuery<A> {
  return { queryKey, address, parts };
}
