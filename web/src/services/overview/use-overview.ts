import { useQuery } from "@tanstack/react-query";
import { OVERVIEW_ROWS_MAX, Overview } from "@waymark/shared/services/overview/schema.ts";
import { readQuery } from "../../lib/read-query.ts";
import { overviewQuery } from "../api-queries.ts";
import { FIRST_SERVICE_MS, FIRST_SERVICE_QUERIES_MAX } from "../use-services.ts";

/**
 * The lists of the overview: their first rows, or all that a list can have. For an empty organization they are loaded
 * again until its first service exists.
 */
export function useOverview({ isWhole, label, owner }: { isWhole: boolean; label: string; owner: string }) {
  return useQuery({
    ...readQuery(overviewQuery(isWhole ? OVERVIEW_ROWS_MAX : undefined, { label, owner }), Overview),
    refetchInterval: ({ state }) =>
      label === "" &&
      owner === "" &&
      state.data?.serviceCount === 0 &&
      state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}

/** The items that the person has snoozed, in the lists of the overview. @param options.isWanted false if there is nothing */
export function useSnoozedOverview({
  label,
  owner,
  isWanted,
}: {
  label: string;
  owner: string;
  isWanted: boolean;
}) {
  return useQuery({
    ...readQuery(overviewQuery(OVERVIEW_ROWS_MAX, { label, owner, isOfSnoozed: true }), Overview),
    enabled: isWanted,
  });
}
