import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createJourneyRunLink,
  deleteJourneyRunLink,
  listJourneyRunLinks,
} from "@waymark/shared/journey-runs/links/addresses.ts";
import {
  CreatedJourneyRunLink,
  JourneyRunLinkList,
  type LinkIncludes,
} from "@waymark/shared/journey-runs/links/schema.ts";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readQuery } from "../../lib/read-query.ts";

const keyOf = (runId: string) => ["journey-run", runId, "links"];

/** The links to a run that work. */
export function useRunLinks(runId: string) {
  return useQuery(
    readQuery(apiQuery(keyOf(runId), listJourneyRunLinks, { params: { runId } }), JourneyRunLinkList),
  );
}

/** Makes a link to a run. Its address is in the response only. */
export function useCreateRunLink(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { hours: number; includes: LinkIncludes; note?: string }) =>
      callApi(createJourneyRunLink, { params: { runId }, body }, { read: CreatedJourneyRunLink }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(runId) }),
  });
}

/** Ends a link to a run. */
export function useEndRunLink(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (linkId: string) => callApi(deleteJourneyRunLink, { params: { runId, linkId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(runId) }),
  });
}
