import { Alert, Button, Container, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useSignIn } from "../lib/use-session.ts";

export function SignInPage() {
  const [apiKey, setApiKey] = useState("");
  const signIn = useSignIn();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(apiKey.trim(), { onSettled: () => setApiKey("") });
  };

  return (
    <Container component="main" size="xs" py="xl">
      <title>Sign in · Waymark</title>
      <Paper withBorder p="xl">
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              Sign in to Waymark
            </Title>
            <PasswordInput
              label="API key"
              description="It is exchanged for a session and not kept in this browser."
              placeholder="wmk_…"
              value={apiKey}
              onChange={(event) => setApiKey(event.currentTarget.value)}
              autoComplete="off"
              required
              withAsterisk={false}
              data-autofocus
            />
            {signIn.isError && (
              <Alert color="red" role="alert" title="That did not work">
                {signIn.error.message}
              </Alert>
            )}
            <Button type="submit" loading={signIn.isPending} disabled={apiKey.trim() === ""}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              The first key was printed when Waymark was started, and stands in its credentials.json.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
