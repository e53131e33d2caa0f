import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useSession, useSignOut } from "../lib/use-session.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { useProviderSignIn } from "./use-provider-sign-in.ts";

/** Asks to sign in again for what needs a recent sign-in, in the way in which the session was opened. */
export function RecentSignInDialog({ reason, onClose }: { reason: string; onClose: () => void }) {
  useReturnFocus();
  const { data: session } = useSession();
  const provider = useProviderSignIn();
  const signOut = useSignOut();
  const identityProviderId = session?.identityProviderId ?? null;
  const again = () => {
    if (identityProviderId !== null) return provider.mutate({ identityProviderId, again: true });
    // The sign-in page has this page's address.
    signOut.mutate();
  };
  const error = provider.error ?? signOut.error;
  return (
    <Modal opened onClose={onClose} title="Sign in again">
      <Stack>
        <Text>{reason}</Text>
        <Text size="sm" c="dimmed">
          Nothing was changed. You come back to this page.
        </Text>
        {error !== null && (
          <Alert color="red" role="alert" title="Sign-in failed">
            {error.message}
          </Alert>
        )}
        <Group>
          <Button loading={provider.isPending || signOut.isPending} onClick={again} data-autofocus>
            Sign in again
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
