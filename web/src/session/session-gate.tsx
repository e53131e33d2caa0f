import { Center, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { ApiError } from "../lib/api.ts";
import { Problem } from "../lib/problem.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { startOver, useSession } from "../lib/use-session.ts";

/** Shows its children to who is signed in, and the sign-in page in their place to who is not: the address stays. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const session = useSession();

  // Any answer 401 means that the key was revoked, expired, or signed out elsewhere.
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        const { error } = event.query.state;
        if (error instanceof ApiError && error.status === 401) startOver(client, null);
      }),
    [client],
  );

  if (session.isPending) {
    return (
      <Center mih="60vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (session.isError) return <Problem error={session.error} onRetry={() => void session.refetch()} />;
  return session.data === null ? <SignInPage /> : children;
}
