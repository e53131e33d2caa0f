import { FindingSummary, CurrentFindingPage } from "@waymark/shared/scans/current-findings/schema.ts";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { readPages, readQuery } from "../../lib/read-query.ts";
import { currentFindingsQuery, type FindingFilter, findingSummaryQuery } from "./api-queries.ts";

/** The time without typing after which a request is sent. */
const TYPING_MS = 150;

/** The numbers of findings by severity, rule, service and age. While the next ones load, the last ones stay. */
export function useFindingSummary(filter: FindingFilter, { enabled = true } = {}) {
  return useQuery({
    enabled,
    ...readQuery(findingSummaryQuery(filter), FindingSummary),
    placeholderData: keepPreviousData,
  });
}

/** The findings of all current runs that match the text, soon after it was typed, a page at a time. */
export function useCurrentFindings(filter: FindingFilter, typed: string) {
  const [text] = useDebouncedValue(typed, TYPING_MS);
  return useInfiniteQuery({
    ...readPages(currentFindingsQuery(filter, text), CurrentFindingPage),
    placeholderData: keepPreviousData,
  });
}
