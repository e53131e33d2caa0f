import { Session } from "@waymark/shared/session/schema.ts";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { ApiError, callApi } from "./api.ts";

const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    try {
      return await callApi(Session, "/api/session", { signal });
    } catch (error) {
      // Nobody is signed in: that is an answer, not a fault.
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The session; null when nobody is signed in, undefined while it is not known. */
export function useSession() {
  return useQuery(sessionQuery);
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (apiKey: string) => callApi(Session, "/api/session", { method: "POST", body: { apiKey } }),
    onSuccess: (session) => startOver(client, session),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(z.unknown(), "/api/session", { method: "DELETE" }),
    onSettled: () => startOver(client, null),
  });
}

/** Nothing that one key could see is left for the next. */
export function startOver(client: QueryClient, session: Session | null): void {
  const [name] = sessionQuery.queryKey;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== name });
  client.setQueryData(sessionQuery.queryKey, session);
}

/** Whether some scope carries the permission. What a constraint then refuses, the api says. */
export function carries(session: Session, permission: string): boolean {
  return session.scopes.some((scope) => scope.permission === permission || scope.permission === "*");
}
