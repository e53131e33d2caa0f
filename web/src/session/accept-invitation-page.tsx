import { Alert, Button, Code, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { acceptInvitation } from "@waymark/shared/principals/invitations/addresses.ts";
import { AcceptedInvitation } from "@waymark/shared/principals/invitations/schema.ts";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { type FormEvent, useState } from "react";
import { callApi } from "../lib/api.ts";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { useOtherSession } from "../lib/use-session.ts";
import { SignedOutPage } from "./signed-out-page.tsx";

/** Accepts an invitation when its button is pressed: opening the link, as previews of links do, does not use it up. */
export function AcceptInvitationPage({ token, onDone }: { token: string; onDone: () => void }) {
  const [displayName, setDisplayName] = useState("");
  const readSession = useOtherSession();
  const accept = useMutation({
    mutationFn: () =>
      callApi(
        acceptInvitation,
        { body: { token, displayName: displayName.trim() } },
        { read: AcceptedInvitation },
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate();
  };

  if (accept.isSuccess) {
    const { rawKey, warning } = accept.data;
    return (
      <SignedOutPage title="Save your key">
        <Alert color="yellow" title="This is your personal key">
          {warning}
        </Alert>
        <Code block className="wraps" data-testid="raw-key" tabIndex={0}>
          {rawKey}
        </Code>
        <CopyTextButton value={rawKey} label="Copy the key" />
        <Button onClick={() => void readSession().then(onDone)}>I've saved the key</Button>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title="You are invited to Waymark">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Your name"
            description="Others see it with what you do."
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            maxLength={PRINCIPAL_LIMITS.displayNameMax}
            autoComplete="name"
            required
            withAsterisk={false}
            data-autofocus
          />
          {accept.isError && (
            <Alert color="red" role="alert" title="The invitation was not accepted">
              {accept.error.message}
            </Alert>
          )}
          <Button type="submit" loading={accept.isPending} disabled={displayName.trim() === ""}>
            Accept the invitation
          </Button>
          <Button variant="default" onClick={onDone}>
            Not now
          </Button>
          <Text size="sm" c="dimmed">
            The link works once. Accepting it signs this browser in as you.
          </Text>
        </Stack>
      </form>
    </SignedOutPage>
  );
}
