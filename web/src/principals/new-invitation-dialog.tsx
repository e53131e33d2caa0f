import { Alert, Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import type { CreatedInvitation } from "@waymark/shared/principals/invitations/schema.ts";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { Time } from "../lib/time.tsx";
import { useReturnFocus } from "../lib/use-return-focus.ts";

/** Shows the link of a new invitation, which nothing shows again. */
export function NewInvitationDialog(props: { invitation: CreatedInvitation; onClose: () => void }) {
  const { invitation, onClose } = props;
  const { email, url, expiresAt } = invitation;
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title="The link of the invitation" size="lg" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" title="Whoever opens this link first becomes the user">
          <span className="breaks">Send it only to {email}, in a way that only this person reads.</span>
        </Alert>
        <Stack gap="xs" align="flex-start">
          <Code block className="wraps" data-testid="invitation-link" tabIndex={0} w="100%">
            {url}
          </Code>
          <CopyTextButton value={url} label="Copy the link" />
        </Stack>
        <Text size="sm">
          It works once, until <Time at={expiresAt} />. The person enters a name, and gets a personal key to
          sign in with later. The link isn't shown again: if it gets lost, make a new one in the list of
          invitations.
        </Text>
        <Group>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
