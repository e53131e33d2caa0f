import { Center, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { endSessionIfUnauthorized, useSession } from "../lib/use-session.ts";

/** Shows its children during a session, otherwise the sign-in page. The address stays the same. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const session = useSession();

  // A response with status 401 means that the session or its key has ended. Signed out, there is no session to end.
  useEffect(() => {
    const stops = [
      client.getQueryCache().subscribe(({ query }) => endSessionIfUnauthorized(query.state.error, client)),
      client
        .getMutationCache()
        .subscribe(({ mutation }) => endSessionIfUnauthorized(mutation?.state.error, client)),
    ];
    return () => stops.forEach((stop) => stop());
  }, [client]);

  if (session.isPending) {
    return (
      <Center mih="60vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (session.isLoadingError)
    return <ErrorAlert error={session.error} onRetry={() => void session.refetch()} />;
  return session.data === null ? <SignInPage /> : children;
}
