import type { OperationAt } from "@waymark/shared/all-operations.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import type { ResultOf } from "@waymark/shared/operations/request.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import type { ApiQuery } from "./api-query.ts";

/** An opened page, as its address and the session determine it. */
export interface Opened<Params = unknown> {
  readonly params: Params;
  readonly search: URLSearchParams;
  readonly session: Session;
}

/** A query that a page starts with. */
export interface FirstQuery extends ApiQuery {
  /** Returns the queries that its response leads to. */
  following?(this: void, response: unknown): readonly FirstQuery[];
  /** Whether its list is empty until something is completed. Then the page asks again, because the response says nothing. */
  readonly isEmptyAtFirst?: boolean;
}

/**
 * Returns a first query with the queries that its response leads to. The response is not validated yet. If it lacks what `following`
 * reads, `following` may throw: then the page asks by itself.
 */
export function leadingTo<A extends Address>(
  query: ApiQuery<A>,
  following: (response: ResultOf<OperationAt<A>>) => readonly FirstQuery[],
): FirstQuery {
  return { ...query, following };
}
