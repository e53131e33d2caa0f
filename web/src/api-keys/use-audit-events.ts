import { AuditEventPage } from "@waymark/shared/audit/schema.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { listAuditEvents } from "@waymark/shared/audit/addresses.ts";
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { withoutEmpty } from "../lib/without-empty.ts";

const PAGE_LIMIT = 100;

export interface AuditFilter {
  /** An action's name; empty for all. */
  action: string;
  /** The id of the acting key; empty for all. */
  by: string;
  /** The id of the user or the service account whose key acted; empty for all. */
  person: string;
  /** The id of the affected key; empty for all. */
  about: string;
}

/** The audit record, newest first; `fetchNextPage` adds older events. */
export function useAuditEvents({ action, by, about, person }: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ["audit-events", action, by, about, person],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        listAuditEvents,
        {
          query: {
            limit: PAGE_LIMIT,
            ...withoutEmpty({ action, actorKeyId: by, apiKeyId: about, actorPrincipalId: person }),
            cursor,
          },
        },
        { signal, read: AuditEventPage },
      ),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ auditEvents }) => auditEvents),
  });
}
