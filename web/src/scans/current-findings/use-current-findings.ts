import { FindingSummary, CurrentFindingPage } from "@waymark/shared/scans/current-findings/schema.ts";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { listFindings, summarizeFindings } from "@waymark/shared/scans/current-findings/addresses.ts";
import { callApi, NO_CURSOR } from "../../lib/api.ts";
import { withoutEmpty } from "../../lib/without-empty.ts";

export const PAGE_FINDINGS = 200;
/** The time without typing after which a request is sent. */
const TYPING_MS = 150;

/** The conditions of findings. An empty text sets none. */
export interface FindingFilter {
  severity: string;
  code: string;
  serviceId: string;
  firstSeen: string;
}

/** Returns the filter as a query. Only lists and exports have a text. */
export function queryOf(filter: FindingFilter, text = ""): Readonly<Record<string, string>> {
  return withoutEmpty({ ...filter, q: text.trim() });
}

/** The numbers of findings by severity, rule, service and age. While the next ones load, the last ones stay. */
export function useFindingSummary(filter: FindingFilter) {
  return useQuery({
    queryKey: ["findings", "summary", filter],
    queryFn: ({ signal }) =>
      callApi(summarizeFindings, { query: queryOf(filter) }, { signal, read: FindingSummary }),
    placeholderData: keepPreviousData,
  });
}

/** The findings of all current runs that match the text, soon after it was typed, a page at a time. */
export function useCurrentFindings(filter: FindingFilter, typed: string) {
  const [text] = useDebouncedValue(typed, TYPING_MS);
  return useInfiniteQuery({
    queryKey: ["findings", "list", filter, text.trim()],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        listFindings,
        { query: { ...queryOf(filter, text), limit: PAGE_FINDINGS, cursor } },
        { signal, read: CurrentFindingPage },
      ),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
}
