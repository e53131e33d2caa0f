import { createJourneyChangeset } from "@waymark/shared/journeys/addresses.ts";
import { type JourneyChangeset, JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../../lib/api.ts";

export interface Saving {
  journeyId: string;
  path: string;
  text: string;
  baseVersion: number;
  /** Changes a document that a repository owns. */
  unlock: boolean;
}

function send(saving: Saving, options: Pick<JourneyChangeset, "message" | "dryRun">, signal?: AbortSignal) {
  const { path, text, baseVersion, unlock } = saving;
  const changes = [{ path, text, baseVersion }];
  const body = { ...options, ...(unlock && { unlock }), changes } satisfies JourneyChangeset;
  return callApi(createJourneyChangeset, { body }, { read: JourneyChangesetResult, signal });
}

/** The effects of saving. Nothing is stored. */
export function useDryRun(saving: Saving) {
  return useQuery({
    queryKey: ["journey", saving.journeyId, "dry-run", saving],
    queryFn: ({ signal }) => send(saving, { dryRun: true }, signal),
    gcTime: 0,
  });
}

/** The key of the request that saves a version. */
export const SAVE_KEY = ["save-version"];

export function useSave(saving: Saving) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: SAVE_KEY,
    mutationFn: (message: string) => send(saving, message === "" ? {} : { message }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["journeys"] }),
        client.invalidateQueries({ queryKey: ["journey", saving.journeyId], exact: true }),
        client.invalidateQueries({ queryKey: ["journey", saving.journeyId, "versions"], exact: true }),
      ]),
  });
}
