import { EnvironmentSecretList } from "@waymark/shared/environments/secrets/schema.ts";
import { JourneyComposition } from "@waymark/shared/journeys/schema.ts";
import { startJourneyRun } from "@waymark/shared/journey-runs/addresses.ts";
import { getJourneyComposition } from "@waymark/shared/journeys/addresses.ts";
import { type StartJourneyRunRequest, StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../lib/api.ts";
import { secretsQuery } from "../../lib/api-queries.ts";
import { readQuery } from "../../lib/read-query.ts";
import { invalidateRuns } from "../use-journeys.ts";
import { runInputs } from "./run-inputs.ts";

/** The inputs of the newest version with its overlays applied. */
export function useRunInputs(journeyId: string) {
  return useQuery({
    queryKey: ["journey", journeyId, "inputs"],
    queryFn: async ({ signal }) => {
      const { text } = await callApi(
        getJourneyComposition,
        { params: { journeyId } },
        { signal, read: JourneyComposition },
      );
      return text === null ? [] : runInputs(text);
    },
    gcTime: 0,
  });
}

/** The names of the environment's secrets; undefined while they aren't known. */
export function useSecretNames(environmentId: string | null): string[] | undefined {
  const { data } = useQuery({
    ...readQuery(secretsQuery(environmentId ?? ""), EnvironmentSecretList),
    enabled: environmentId !== null,
    // A secret that is set on another page is known when this one is seen again.
    staleTime: 0,
  });
  return data?.secrets.map(({ name }) => name);
}

export function useStartRun(journeyId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: Pick<StartJourneyRunRequest, "environmentId" | "inputs">) =>
      callApi(startJourneyRun, { body: { journeyId, ...request } }, { read: StartedJourneyRun }),
    onSuccess: () => invalidateRuns(client, journeyId),
  });
}
