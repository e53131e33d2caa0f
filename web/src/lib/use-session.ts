import { Session } from "@waymark/shared/session/schema.ts";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { ApiError, callApi } from "./api.ts";

/** Under which it is kept why the last session ended, for the sign-in page. */
const END_KEY = ["session", "end"];

const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal, client }) => {
    try {
      return await callApi(Session, "/api/session", { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // Nobody is signed in: that is an answer, not a fault. Somebody who was is told why it ended.
      if (error.code !== "missing_credentials") client.setQueryData(END_KEY, error.message);
      return null;
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
    // Only then: a session that the server has not ended goes on, and so does every copy of its cookie.
    onSuccess: () => startOver(client, null),
  });
}

/** Nothing that one key could see is left for the next. */
function startOver(client: QueryClient, session: Session | null): void {
  const [name] = sessionQuery.queryKey;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== name });
  client.setQueryData(END_KEY, null);
  client.setQueryData(sessionQuery.queryKey, session);
}

/** Shows the sign-in page with the reason when any answer says that the session is over. */
export function endSessionIfUnauthorized(error: unknown, client: QueryClient): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  if (client.getQueryData(sessionQuery.queryKey) === null) return;
  startOver(client, null);
  const why = error.code === "missing_credentials" ? "Your session has ended." : error.message;
  client.setQueryData(END_KEY, why);
}

/** Why the last session ended, if it did so by itself. */
export function useSessionEnd(): string | null {
  const { data } = useQuery<string | null>({ queryKey: END_KEY, enabled: false, initialData: null });
  return data;
}

/** Whether some scope carries the permission. What a constraint then refuses, the api says. */
export function hasPermission(session: Session, permission: string): boolean {
  return session.scopes.some((scope) => scope.permission === permission || scope.permission === "*");
}
