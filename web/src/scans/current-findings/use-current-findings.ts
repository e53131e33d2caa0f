import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CurrentFindingPage, FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import { callApi } from "../../lib/api.ts";

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

/** The filter as the parameters of a request. Only lists and exports have a text. */
export function parametersOf(filter: FindingFilter, text = ""): URLSearchParams {
  const values = { ...filter, q: text.trim() };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
}

/** The numbers of findings by severity, rule, service and age. While the next ones load, the last ones stay. */
export function useFindingSummary(filter: FindingFilter) {
  return useQuery({
    queryKey: ["findings", "summary", filter],
    queryFn: ({ signal }) =>
      callApi(FindingSummary, `/api/findings/summary?${parametersOf(filter)}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The findings of all current runs that match the text, soon after it was typed, a page at a time. */
export function useCurrentFindings(filter: FindingFilter, typed: string) {
  const [text] = useDebouncedValue(typed, TYPING_MS);
  return useInfiniteQuery({
    queryKey: ["findings", "list", filter, text.trim()],
    queryFn: ({ signal, pageParam }) => {
      const parameters = parametersOf(filter, text);
      parameters.set("limit", String(PAGE_FINDINGS));
      if (pageParam !== "") parameters.set("cursor", pageParam);
      return callApi(CurrentFindingPage, `/api/findings?${parameters}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
}
