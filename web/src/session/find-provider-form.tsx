import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { type FormEvent, useState } from "react";
import { useForgetSessionEnd } from "../lib/use-session.ts";
import { ProviderButtons } from "./provider-buttons.tsx";
import { useSignInOptions } from "./use-provider-sign-in.ts";

/** Asks for an e-mail address or an organization, and offers its identity providers. */
export function FindProviderForm() {
  const [text, setText] = useState("");
  // Another attempt with the same text asks again: the server may have been down.
  const [attempt, setAttempt] = useState<{ wanted: string; count: number }>();
  const forgetSessionEnd = useForgetSessionEnd();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    forgetSessionEnd();
    setAttempt((last) => ({ wanted: text.trim(), count: (last?.count ?? 0) + 1 }));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Work e-mail or organization"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAttempt(undefined);
          }}
          maxLength={PRINCIPAL_LIMITS.emailMax}
          autoComplete="email"
          required
          withAsterisk={false}
        />
        {attempt === undefined ? (
          <Button type="submit" disabled={text.trim() === ""}>
            Continue
          </Button>
        ) : (
          <Found key={attempt.count} wanted={attempt.wanted} />
        )}
      </Stack>
    </form>
  );
}

function Found({ wanted }: { wanted: string }) {
  const { data, error, isPending } = useSignInOptions(wanted);
  if (isPending) return <Button loading>Continue</Button>;
  if (error !== null) {
    return (
      <>
        <Alert color="red" role="alert" title="Sign-in failed">
          {error.message}
        </Alert>
        <Button type="submit">Try again</Button>
      </>
    );
  }
  if (data.providers.length > 0) {
    return (
      <ProviderButtons providers={data.providers} {...(wanted.includes("@") ? { loginHint: wanted } : {})} />
    );
  }
  return (
    <Alert color="yellow" role="alert" title="No sign-in was found">
      Check the address, or enter your organization&apos;s name as your administrator writes it. If it has no
      identity provider, sign in with a key, or ask for an invitation.
    </Alert>
  );
}
