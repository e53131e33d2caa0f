import { createSession, deleteSession } from "@waymark/shared/session/addresses.ts";
import { Session } from "@waymark/shared/session/schema.ts";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, callApi } from "./api.ts";
import { SESSION } from "./api-queries.ts";
import { readQuery } from "./read-query.ts";
import { forgetBegunCalls } from "./begun-calls.ts";
import { hasPermission } from "./permissions.ts";

/** The cache key of the reason why the last session ended, for the sign-in page. */
const END_KEY = ["session", "end"];

const { queryKey, queryFn: readSession } = readQuery(SESSION, Session);
const sessionQuery = queryOptions({
  queryKey,
  queryFn: async ({ signal, client }) => {
    try {
      return await readSession({ signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // Status 401 means signed out, which is no error. If a session has ended, the sign-in page shows the reason.
      if (error.code !== "missing_credentials") client.setQueryData(END_KEY, error.message);
      return null;
    }
  },
  staleTime: 60_000,
});

/** The session; null when signed out, undefined while loading. */
export function useSession() {
  return useQuery(sessionQuery);
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (apiKey: string) => callApi(createSession, { body: { apiKey } }, { read: Session }),
    onMutate: () => client.setQueryData(END_KEY, null),
    onSuccess: (session) => startOver(client, session),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(deleteSession, {}),
    // A failure keeps the session: until the server ends it, its cookie still works.
    onSuccess: () => startOver(client, null),
  });
}

/** Returns a function that reads the session of another cookie, after clearing the cache. */
export function useOtherSession(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    startOver(client, null);
    await client.refetchQueries({ queryKey: sessionQuery.queryKey });
  };
}

/** Clears the cache, so that the next session shows no data of this one. */
function startOver(client: QueryClient, session: Session | null): void {
  forgetBegunCalls();
  const [name] = sessionQuery.queryKey;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== name });
  client.setQueryData(END_KEY, null);
  client.setQueryData(sessionQuery.queryKey, session);
}

/** Shows the sign-in page with the reason when a response says that the session has ended. */
export function endSessionIfUnauthorized(error: unknown, client: QueryClient): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  // Another sign-in failed: the session goes on.
  if (error.code === "sign_in_expired") return;
  if (client.getQueryData(sessionQuery.queryKey) === null) return;
  startOver(client, null);
  const why = error.code === "missing_credentials" ? "Your session has ended." : error.message;
  client.setQueryData(END_KEY, why);
}

/** The reason why the last session ended; null after signing out. */
export function useSessionEnd(): string | null {
  const { data } = useQuery<string | null>({ queryKey: END_KEY, enabled: false, initialData: null });
  return data;
}

/** Returns a function that forgets that reason: a new attempt to sign in has a result of its own. */
export function useForgetSessionEnd(): () => void {
  const client = useQueryClient();
  return () => client.setQueryData(END_KEY, null);
}

/** True if the signed-in key has the permission, constraints ignored. */
export function useMay(permission: string): boolean {
  const { data: session } = useSession();
  return session !== null && session !== undefined && hasPermission(session, permission);
}
