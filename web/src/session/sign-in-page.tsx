import { Alert, Button, Container, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../lib/api.ts";
import { Logo } from "../lib/logo.tsx";
import { useSessionEnd, useSignIn } from "../lib/use-session.ts";

export function SignInPage() {
  const [apiKey, setApiKey] = useState("");
  const signIn = useSignIn();
  const ended = useSessionEnd();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Without a connection, the same key is tried again.
    signIn.mutate(apiKey.trim(), { onError: (error) => error instanceof ApiError && setApiKey("") });
  };

  return (
    <Container component="main" size={460} py="12vh">
      <title>Sign in · Waymark</title>
      <Paper withBorder p="xl" radius="md">
        <form onSubmit={submit}>
          <Stack>
            <Logo size={40} />
            <Title order={1}>Sign in to Waymark</Title>
            {ended !== null && !signIn.isError && (
              <Alert color="yellow" role="status" title="You were signed out">
                {ended}
              </Alert>
            )}
            <PasswordInput
              label="API key"
              description="Waymark exchanges the key for a session. This browser doesn't keep the key."
              placeholder="wmk_…"
              value={apiKey}
              onChange={(event) => setApiKey(event.currentTarget.value)}
              autoComplete="off"
              required
              withAsterisk={false}
              data-autofocus
            />
            {signIn.isError && (
              <Alert color="red" role="alert" title="Sign-in failed">
                {signIn.error.message}
              </Alert>
            )}
            <Button type="submit" loading={signIn.isPending} disabled={apiKey.trim() === ""}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              Waymark prints the first key when it starts for the first time, and saves it in
              credentials.json.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
