import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { type FormEvent, useState } from "react";
import { ProviderButtons } from "./provider-buttons.tsx";
import { useSignInOptions } from "./use-provider-sign-in.ts";

/** Asks for an e-mail address or an organization, and offers its identity providers. */
export function FindProviderForm() {
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWanted(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Work e-mail or organization"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setWanted(undefined);
          }}
          maxLength={PRINCIPAL_LIMITS.emailMax}
          autoComplete="email"
          required
          withAsterisk={false}
        />
        {wanted === undefined ? (
          <Button type="submit" disabled={text.trim() === ""}>
            Continue
          </Button>
        ) : (
          <Found wanted={wanted} />
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
      <Alert color="red" role="alert" title="Sign-in failed">
        {error.message}
      </Alert>
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
