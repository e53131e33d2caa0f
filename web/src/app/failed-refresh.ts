import { notifyManager, type Query, type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";

/** True if a page shows data that a query has loaded, and the query could not load it again or load more of it. */
export function isNotRenewed(query: Query): boolean {
  return query.isActive() && query.state.status === "error" && query.state.data !== undefined;
}

export function findFailedRefresh(cache: QueryCache): Error | undefined {
  return cache.getAll().find(isNotRenewed)?.state.error ?? undefined;
}

/** Returns the error because of which data on the page may be out of date; undefined if there is none. */
export function useFailedRefresh() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const error = useSyncExternalStore(
    useCallback((onChange) => cache.subscribe(notifyManager.batchCalls(onChange)), [cache]),
    () => findFailedRefresh(cache),
  );
  const retry = () => void client.refetchQueries({ type: "active", predicate: isNotRenewed });
  return error === undefined ? undefined : { error, retry };
}
