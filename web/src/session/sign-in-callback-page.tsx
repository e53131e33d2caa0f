import { Alert, Button, Loader } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { completeSignIn } from "@waymark/shared/principals/sign-in/addresses.ts";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { callApi } from "../lib/api.ts";
import { useOtherSession } from "../lib/use-session.ts";
import { takeReturnAddress } from "./return-address.ts";
import type { SignInCallback } from "./sign-in-callback.ts";
import { SignedOutPage } from "./signed-out-page.tsx";

/** Completes a sign-in by the redirect of an identity provider, and goes back to the page where it began. */
export function SignInCallbackPage({ callback, onDone }: { callback: SignInCallback; onDone: () => void }) {
  const [, navigate] = useLocation();
  const readSession = useOtherSession();
  const complete = useMutation({
    mutationFn: async () => {
      await callApi(completeSignIn, { body: callback });
      await readSession();
    },
  });
  const { mutate, isError, error } = complete;
  // A sign-in can be completed once, and React renders twice while developing.
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate(undefined, {
      onSuccess: () => {
        navigate(takeReturnAddress(), { replace: true });
        onDone();
      },
    });
  }, [mutate, navigate, onDone]);

  if (!isError) {
    return (
      <SignedOutPage title="Signing in">
        <Loader aria-label="Signing in" />
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title="You are not signed in">
      <Alert color="red" role="alert" title="Sign-in failed">
        {error.message}
      </Alert>
      <Button onClick={onDone} data-autofocus>
        Back to signing in
      </Button>
    </SignedOutPage>
  );
}
