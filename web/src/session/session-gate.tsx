import { Center, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect } from "react";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { endSessionIfUnauthorized, useSession } from "../lib/use-session.ts";
import { useInvitationToken } from "./invitation-token.ts";

const SignInPage = lazyPart("The sign-in page", async () => (await import("./sign-in-page.tsx")).SignInPage);

const AcceptInvitationPage = lazyPart(
  "The page of the invitation",
  async () => (await import("./accept-invitation-page.tsx")).AcceptInvitationPage,
);

/** Shows its children during a session, otherwise the sign-in page. The address stays the same. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const session = useSession();
  const [token, forgetToken] = useInvitationToken();

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

  if (token !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <AcceptInvitationPage token={token} onDone={forgetToken} />
      </Suspense>
    );
  }
  if (session.isPending) return <Loading />;
  if (session.isLoadingError)
    return <ErrorAlert error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data !== null) return children;
  return (
    <Suspense fallback={<Loading />}>
      <SignInPage />
    </Suspense>
  );
}

function Loading() {
  return (
    <Center mih="60vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}
