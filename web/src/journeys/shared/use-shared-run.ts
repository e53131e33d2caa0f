import { useInfiniteQuery } from "@tanstack/react-query";
import { openJourneyRunLink } from "@waymark/shared/journey-runs/links/addresses.ts";
import { OpenedJourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import { useSyncExternalStore } from "react";
import { callApi } from "../../lib/api.ts";

/** The `after` of the first steps. */
const FIRST = -1;

/** Returns the token of the link, which stays in the address, so that the page can be loaded again. */
export function useLinkToken(): string {
  return useSyncExternalStore(subscribe, () => globalThis.location.hash.slice(1));
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

/** The run of a link, with its first steps; `fetchNextPage` adds more. It is asked for once: each opening counts. */
export function useSharedRun(token: string) {
  return useInfiniteQuery({
    queryKey: ["shared-journey-run", token],
    queryFn: ({ signal, pageParam: after }) =>
      callApi(openJourneyRunLink, { body: { token, after } }, { signal, read: OpenedJourneyRunLink }),
    initialPageParam: FIRST,
    getNextPageParam: ({ nextAfter }) => nextAfter,
    select: ({ pages }) => {
      const [first] = pages;
      return first === undefined ? undefined : { ...first, steps: pages.flatMap(({ steps }) => steps) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
