import { useInfiniteQuery } from "@tanstack/react-query";
import { AuditEventPage } from "@waymark/shared/audit/schema.ts";
import { callApi } from "../lib/api.ts";

const PAGE_LIMIT = 100;

export interface AuditFilter {
  /** An action's name; empty for all. */
  action: string;
  /** The id of the acting key; empty for all. */
  by: string;
  /** The id of the affected key; empty for all. */
  about: string;
}

/** The audit record, newest first; `fetchNextPage` adds older events. */
export function useAuditEvents({ action, by, about }: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ["audit-events", action, by, about],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
      const given = { action, actorKeyId: by, apiKeyId: about, cursor: pageParam };
      for (const [name, value] of Object.entries(given)) if (value !== "") query.set(name, value);
      return callApi(AuditEventPage, `/api/audit-events?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ auditEvents }) => auditEvents),
  });
}
