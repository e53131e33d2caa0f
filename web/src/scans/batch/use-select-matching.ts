import { useMutation } from "@tanstack/react-query";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { Selection } from "./selection.ts";

/** The findings that match the filters, of which some are loaded. */
export interface Matching {
  /** Null if the server does not count them. */
  count: number | null;
  loaded: readonly CurrentFinding[];
  isAllLoaded: boolean;
  /** Loads another page. @returns all that are loaded then */
  loadMore: () => Promise<{ loaded: readonly CurrentFinding[]; isAllLoaded: boolean }>;
}

/** Loads what matches, as much as one request may change, and selects it. */
export function useSelectMatching(selection: Selection<CurrentFinding>, matching: Matching) {
  return useMutation({
    mutationFn: async () => {
      const { list } = selection;
      let { loaded, isAllLoaded } = matching;
      while (!isAllLoaded && loaded.length < DECISION_LIMITS.perRequestMax)
        ({ loaded, isAllLoaded } = await matching.loadMore());
      return { list, loaded };
    },
    onSuccess: ({ list, loaded }) => {
      // Filters that were changed meanwhile have another list, in which nobody has asked for this.
      if (list === selection.list) selection.setAll(loaded);
    },
  });
}
