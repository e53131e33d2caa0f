import { Alert, Button, Stack } from "@mantine/core";
import type { SignInOptions } from "@waymark/shared/principals/sign-in/schema.ts";
import { useProviderSignIn } from "./use-provider-sign-in.ts";

/** Buttons that go on to identity providers. */
export function ProviderButtons({
  providers,
  loginHint,
}: {
  providers: SignInOptions["providers"];
  loginHint?: string;
}) {
  const signIn = useProviderSignIn();
  return (
    <Stack>
      {providers.map(({ id, displayName }) => (
        <Button
          key={id}
          loading={signIn.isPending && signIn.variables.identityProviderId === id}
          disabled={signIn.isPending}
          onClick={() =>
            signIn.mutate({ identityProviderId: id, ...(loginHint === undefined ? {} : { loginHint }) })
          }
        >
          Continue with {displayName}
        </Button>
      ))}
      {signIn.isError && (
        <Alert color="red" role="alert" title="Sign-in failed">
          {signIn.error.message}
        </Alert>
      )}
    </Stack>
  );
}
