import { Alert, Anchor, Divider, Loader } from "@mantine/core";
import { useState } from "react";
import { useSessionEnd } from "../lib/use-session.ts";
import { FindProviderForm } from "./find-provider-form.tsx";
import { KeySignInForm } from "./key-sign-in-form.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";
import { useSignInOptions } from "./use-provider-sign-in.ts";

export function SignInPage() {
  const ended = useSessionEnd();
  return (
    <SignedOutPage title="Sign in to Waymark" tabTitle="Sign in">
      {ended !== null && (
        <Alert color="yellow" role="status" title="You were signed out">
          {ended}
        </Alert>
      )}
      <Ways />
    </SignedOutPage>
  );
}

function Ways() {
  const { data, isPending } = useSignInOptions();
  const [isLooking, setIsLooking] = useState(false);
  if (isPending) return <Loader aria-label="Loading" />;
  // Without a response, a key is tried: its own response says what is wrong.
  const { keySignIn, providers } = data ?? { keySignIn: true, providers: [] };
  const looks = providers.length === 0 && (isLooking || !keySignIn);
  return (
    <>
      {providers.length > 0 && <ProviderButtons providers={providers} />}
      {looks && <FindProviderForm />}
      {keySignIn && (
        <>
          {(providers.length > 0 || looks) && <Divider label="or" />}
          <KeySignInForm isOnly={providers.length === 0 && !looks} />
        </>
      )}
      {keySignIn && providers.length === 0 && !looks && (
        <Anchor component="button" type="button" size="sm" onClick={() => setIsLooking(true)}>
          Use your organization&apos;s account
        </Anchor>
      )}
    </>
  );
}
