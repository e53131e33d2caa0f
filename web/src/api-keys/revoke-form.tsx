import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { hasPermission, useSession } from "../lib/use-session.ts";

export function RevokeForm(props: {
  isOwn: boolean;
  pending: boolean;
  onRevoke: (children: boolean) => void;
  onKeep: () => void;
}) {
  const { isOwn, pending, onRevoke, onKeep } = props;
  const { data: session } = useSession();
  const [children, setChildren] = useState(false);
  const mayRevokeOthers =
    session !== null && session !== undefined && hasPermission(session, "api-keys:revoke");
  return (
    <Stack gap="xs">
      <Text>
        Whoever uses this key is refused from the next request on. It can't be undone.
        {isOwn && " You are signed in with it yourself: you will be signed out."}
      </Text>
      {mayRevokeOthers && (
        <Checkbox
          label="Also revoke the keys made with it"
          description="And the keys made with those. Use it when the key has leaked."
          checked={children}
          onChange={(event) => setChildren(event.currentTarget.checked)}
        />
      )}
      <Group>
        <Button color="red.9" loading={pending} onClick={() => onRevoke(children)} data-autofocus>
          Revoke this key
        </Button>
        <Button variant="default" onClick={onKeep}>
          Keep it
        </Button>
      </Group>
    </Stack>
  );
}
