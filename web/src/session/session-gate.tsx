import { Center, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { ApiError } from "../lib/api.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { endSessionIfUnauthorized, useSession } from "../lib/use-session.ts";
import { useInvitationToken } from "./invitation-token.ts";
import { useSignInCallback } from "./sign-in-callback.ts";

const SignInPage = lazyPart("The sign-in page", async () => (await import("./sign-in-page.tsx")).SignInPage);

const AcceptInvitationPage = lazyPart(
  "The page of the invitation",
  async () => (await import("./accept-invitation-page.tsx")).AcceptInvitationPage,
);

const SignInCallbackPage = lazyPart(
  "The page of the sign-in",
  async () => (await import("./sign-in-callback-page.tsx")).SignInCallbackPage,
);

const RecentSignInDialog = lazyPart(
  "The dialog for signing in again",
  async () => (await import("./recent-sign-in-dialog.tsx")).RecentSignInDialog,
);

/** Shows its children during a session, otherwise the sign-in page. The address stays the same. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const session = useSession();
  const [token, forgetToken] = useInvitationToken();
  const [callback, forgetCallback] = useSignInCallback();
  const [location, navigate] = useLocation();
  const [refusal, setRefusal] = useState<string>();
  const isSignedIn = session.data !== null && session.data !== undefined;

  // The page for signing in has nothing to show during a session.
  useEffect(() => {
    if (isSignedIn && location === "/sign-in") navigate("/", { replace: true });
  }, [isSignedIn, location, navigate]);

  // A response with status 401 means that the session or its key has ended. Signed out, there is no session to end.
  useEffect(() => {
    const stops = [
      client.getQueryCache().subscribe(({ query }) => endSessionIfUnauthorized(query.state.error, client)),
      client.getMutationCache().subscribe(({ mutation, type }) => {
        const error = mutation?.state.error;
        endSessionIfUnauthorized(error, client);
        if (type === "updated" && error instanceof ApiError && error.code === "recent_sign_in_required")
          setRefusal(error.message);
      }),
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
  if (callback !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <SignInCallbackPage callback={callback} onDone={forgetCallback} />
      </Suspense>
    );
  }
  if (session.isPending) return <Loading />;
  if (session.isLoadingError)
    return <ErrorAlert error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data !== null) {
    return (
      <>
        {children}
        <Suspense>
          {refusal !== undefined && (
            <RecentSignInDialog reason={refusal} onClose={() => setRefusal(undefined)} />
          )}
        </Suspense>
      </>
    );
  }
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
