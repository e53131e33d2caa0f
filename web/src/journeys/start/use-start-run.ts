import { JourneyComposition } from "@waymark/shared/journeys/schema.ts";
import { StartedJourneyRun, type StartJourneyRunRequest } from "@waymark/shared/journey-runs/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../lib/api.ts";
import { invalidateRuns } from "../use-journeys.ts";
import { runInputs } from "./run-inputs.ts";

/** The inputs of the newest version with its overlays applied. */
export function useRunInputs(journeyId: string) {
  return useQuery({
    queryKey: ["journey", journeyId, "inputs"],
    queryFn: async ({ signal }) => {
      const address = `/api/journeys/${encodeURIComponent(journeyId)}/composition`;
      const { text } = await callApi(JourneyComposition, address, { signal });
      return text === null ? [] : runInputs(text);
    },
    gcTime: 0,
  });
}

export function useStartRun(journeyId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: Pick<StartJourneyRunRequest, "environmentId" | "inputs">) => {
      const body = { journeyId, ...request } satisfies StartJourneyRunRequest;
      return callApi(StartedJourneyRun, "/api/journey-runs", { method: "POST", body });
    },
    onSuccess: () => invalidateRuns(client, journeyId),
  });
}
