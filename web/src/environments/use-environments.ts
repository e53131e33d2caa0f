import {
  Environment,
  EnvironmentDetails,
  type EnvironmentRequest,
  JourneyRelease,
} from "@waymark/shared/environments/schema.ts";
import { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import { EnvironmentSecretList, type SetSecretRequest } from "@waymark/shared/environments/secrets/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { useMay } from "../lib/use-session.ts";

const addressOf = (environmentId: string) => `/api/environments/${encodeURIComponent(environmentId)}`;
const LIST = ["environments"];
const keyOf = (environmentId: string) => ["environment", environmentId];

export function useEnvironments() {
  return useQuery({
    queryKey: LIST,
    queryFn: ({ signal }) => loadAll(Environment, "/api/environments", "environments", signal),
  });
}

export function useEnvironment(environmentId: string) {
  return useQuery({
    queryKey: keyOf(environmentId),
    queryFn: ({ signal }) => callApi(EnvironmentDetails, addressOf(environmentId), { signal }),
  });
}

export function useSecrets(environmentId: string) {
  return useQuery({
    queryKey: [...keyOf(environmentId), "secrets"],
    queryFn: ({ signal }) =>
      callApi(EnvironmentSecretList, `${addressOf(environmentId)}/secrets`, { signal }),
  });
}

const JourneyName = z.object({ id: z.string(), path: z.string(), kind: z.string(), headVersion: z.int() });

/** The journeys that can be released. Empty for sessions that may not read journeys. */
export function useJourneyNames() {
  const enabled = useMay("journeys:read");
  const { data } = useQuery({
    queryKey: ["journeys", "names"],
    queryFn: ({ signal }) => loadAll(JourneyName, "/api/journeys", "journeys", signal),
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
      Promise.all([LIST, ["environment"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export function useCreateEnvironment() {
  return useChange((request: EnvironmentRequest) =>
    callApi(Environment, "/api/environments", { method: "POST", body: request }),
  );
}

/** Replaces the settings of this revision, and none that somebody else has changed meanwhile. */
export function useReplaceEnvironment({ id, revision }: Pick<Environment, "id" | "revision">) {
  return useChange((request: EnvironmentRequest) =>
    callApi(Environment, addressOf(id), {
      method: "PUT",
      body: request,
      headers: { "if-match": `"${revision}"` },
    }),
  );
}

export function useDeleteEnvironment(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(z.unknown(), addressOf(environmentId), { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: LIST }),
  });
}

export function useSetSecret(environmentId: string) {
  return useChange(({ name, ...body }: SetSecretRequest & { name: string }) =>
    callApi(z.unknown(), `${addressOf(environmentId)}/secrets/${encodeURIComponent(name)}`, {
      method: "PUT",
      body,
    }),
  );
}

export function useDeleteSecret(environmentId: string) {
  return useChange((name: string) =>
    callApi(z.unknown(), `${addressOf(environmentId)}/secrets/${encodeURIComponent(name)}`, {
      method: "DELETE",
    }),
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
    queryKey: [...keyOf(id), "preview", revision, journeyId, version],
    queryFn: ({ signal }) =>
      callApi(JourneyReleasePreview, `${addressOf(id)}/releases/${journeyId}?version=${version}`, { signal }),
  });
}

/** Releases what a preview has shown, and nothing that has changed since. */
export function useRelease(environmentId: string) {
  return useChange(({ journeyId, ...body }: ReleaseVersion & { expectArtifact: string }) =>
    callApi(JourneyRelease, `${addressOf(environmentId)}/releases/${journeyId}`, { method: "PUT", body }),
  );
}

export function useTakeBack(environmentId: string) {
  return useChange((journeyId: string) =>
    callApi(z.unknown(), `${addressOf(environmentId)}/releases/${journeyId}`, { method: "DELETE" }),
  );
}
