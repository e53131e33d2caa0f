import { Alert, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../lib/api.ts";
import { useSignIn } from "../lib/use-session.ts";

/** Exchanges an API key for a session. `isOnly` is false beside other ways to sign in. */
export function KeySignInForm({ isOnly }: { isOnly: boolean }) {
  const [apiKey, setApiKey] = useState("");
  const signIn = useSignIn();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Without a connection, the same key is tried again.
    signIn.mutate(apiKey.trim(), { onError: (error) => error instanceof ApiError && setApiKey("") });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="API key"
          description="Waymark exchanges the key for a session. This browser doesn't keep the key."
          placeholder="wmk_…"
          value={apiKey}
          onChange={(event) => setApiKey(event.currentTarget.value)}
          autoComplete="off"
          required
          withAsterisk={false}
          data-autofocus={isOnly ? true : undefined}
        />
        {signIn.isError && (
          <Alert color="red" role="alert" title="Sign-in failed">
            {signIn.error.message}
          </Alert>
        )}
        <Button
          type="submit"
          variant={isOnly ? "filled" : "default"}
          loading={signIn.isPending}
          disabled={apiKey.trim() === ""}
        >
          {isOnly ? "Sign in" : "Sign in with a key"}
        </Button>
        {isOnly && (
          <Text size="sm" c="dimmed">
            Waymark prints the first key when it starts for the first time, and saves it in credentials.json.
          </Text>
        )}
      </Stack>
    </form>
  );
}
