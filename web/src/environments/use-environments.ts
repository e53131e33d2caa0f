import { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import * as addresses from "@waymark/shared/environments/addresses.ts";
import {
  type EnvironmentRequest,
  EnvironmentDetails,
  Environment,
  JourneyRelease,
} from "@waymark/shared/environments/schema.ts";
import { type SetSecretRequest, EnvironmentSecretList } from "@waymark/shared/environments/secrets/schema.ts";
import { listJourneys } from "@waymark/shared/journeys/addresses.ts";
import { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { readList, readQuery } from "../lib/read-query.ts";
import { secretsQuery } from "../lib/api-queries.ts";
import { ENVIRONMENTS, environmentQuery } from "./api-queries.ts";
import { useMay } from "../lib/use-session.ts";

export function useEnvironments({ enabled = true } = {}) {
  return useQuery({ ...readList(ENVIRONMENTS, { field: "environments", item: Environment }), enabled });
}

export function useEnvironment(environmentId: string) {
  return useQuery(readQuery(environmentQuery(environmentId), EnvironmentDetails));
}

export function useSecrets(environmentId: string) {
  return useQuery(readQuery(secretsQuery(environmentId), EnvironmentSecretList));
}

const JourneyName = JourneyDocument.pick({ id: true, path: true, kind: true, headVersion: true });

/** The journeys that can be released. Empty for sessions that may not read journeys. */
export function useJourneyNames() {
  const enabled = useMay("journeys:read");
  const { data } = useQuery({
    queryKey: ["journeys", "names"],
    queryFn: ({ signal }) => loadAll({ address: listJourneys, field: "journeys", item: JourneyName }, signal),
    enabled,
  });
  return (data ?? []).filter(({ kind }) => kind !== "openapi");
}

/** A change, after which the list and the environment are read again. */
function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    // The value of a secret is dropped as soon as its request ends.
    gcTime: 0,
    // Also after a refusal: somebody else may have changed it.
    onSettled: () =>
      Promise.all(
        [ENVIRONMENTS.queryKey, ["environment"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

export function useCreateEnvironment() {
  return useChange((body: EnvironmentRequest) =>
    callApi(addresses.createEnvironment, { body }, { read: Environment }),
  );
}

/** Replaces the settings of this revision, and none that somebody else has changed meanwhile. */
export function useReplaceEnvironment({ id, revision }: Pick<Environment, "id" | "revision">) {
  return useChange((body: EnvironmentRequest) =>
    callApi(
      addresses.replaceEnvironment,
      {
        params: { environmentId: id },
        headers: { "if-match": `"${revision}"` },
        body,
      },
      { read: Environment },
    ),
  );
}

export function useDeleteEnvironment(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(addresses.deleteEnvironment, { params: { environmentId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ENVIRONMENTS.queryKey }),
  });
}

export function useSetSecret(environmentId: string) {
  return useChange(({ name, ...body }: SetSecretRequest & { name: string }) =>
    callApi(addresses.setEnvironmentSecret, { params: { environmentId, name }, body }),
  );
}

export function useDeleteSecret(environmentId: string) {
  return useChange((name: string) =>
    callApi(addresses.deleteEnvironmentSecret, { params: { environmentId, name } }),
  );
}

interface ReleaseVersion {
  journeyId: string;
  version: number;
}

/** The changes of a release. The release is built for the current environment, so a preview belongs to a revision. */
export function useReleasePreview(
  { id, revision }: Pick<Environment, "id" | "revision">,
  { journeyId, version }: ReleaseVersion,
) {
  return useQuery({
    queryKey: [...environmentQuery(id).queryKey, "preview", revision, journeyId, version],
    queryFn: ({ signal }) =>
      callApi(
        addresses.previewJourneyRelease,
        { params: { environmentId: id, journeyId }, query: { version } },
        { signal, read: JourneyReleasePreview },
      ),
  });
}

/** Releases what a preview has shown, and nothing that has changed since. */
export function useRelease(environmentId: string) {
  return useChange(({ journeyId, ...body }: ReleaseVersion & { expectArtifact: string }) =>
    callApi(
      addresses.releaseJourney,
      { params: { environmentId, journeyId }, body },
      { read: JourneyRelease },
    ),
  );
}

export function useTakeBack(environmentId: string) {
  return useChange((journeyId: string) =>
    callApi(addresses.deleteJourneyRelease, { params: { environmentId, journeyId } }),
  );
}
