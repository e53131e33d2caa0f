import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useFocusOnMount } from "../lib/use-focus-on-mount.ts";
import { hasPermission } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";

export function RevokeForm(props: {
  isOwn: boolean;
  pending: boolean;
  onRevoke: (children: boolean) => void;
  onKeep: () => void;
}) {
  const { isOwn, pending, onRevoke, onKeep } = props;
  const { data: session } = useSession();
  const [children, setChildren] = useState(false);
  const cancel = useFocusOnMount<HTMLButtonElement>();
  const mayRevokeOthers =
    session !== null && session !== undefined && hasPermission(session, "api-keys:revoke");
  return (
    <Stack gap="xs">
      <Text>
        Requests with this key fail immediately. This can't be undone.
        {isOwn && " You are signed in with this key, so you will be signed out."}
      </Text>
      {mayRevokeOthers && (
        <Checkbox
          label="Also revoke the keys created with it"
          description="Includes the keys created with those. Choose this if the key has leaked."
          checked={children}
          onChange={(event) => setChildren(event.currentTarget.checked)}
        />
      )}
      <Group>
        <Button color="red.9" loading={pending} onClick={() => onRevoke(children)}>
          Revoke key
        </Button>
        <Button variant="default" onClick={onKeep} ref={cancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
