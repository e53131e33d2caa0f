import { Button, Group, Stack, Text } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useFocusOnMount } from "../lib/use-focus-on-mount.ts";
import { hasPermission } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";
import type { useSetKeyDisabled } from "./use-api-keys.ts";

/** The actions that the signed-in key has permission for. Every key can revoke itself. */
export function KeyActions(props: {
  apiKey: ApiKey;
  isOwn: boolean;
  setDisabled: ReturnType<typeof useSetKeyDisabled>;
  /** The action whose question was cancelled. */
  focused: "rotate" | "revoke" | undefined;
  onAsk: (what: "rotate" | "revoke") => void;
}) {
  const { apiKey, isOwn, setDisabled, focused, onAsk } = props;
  const cancelled = useFocusOnMount<HTMLButtonElement>();
  const { data: session } = useSession();
  const may = (permission: string) =>
    session !== null && session !== undefined && hasPermission(session, permission);
  const isDisabled = apiKey.disabledAt !== null;
  const mayRevoke = isOwn || may("api-keys:revoke");
  const mayRotate = may("api-keys:revoke") && may("api-keys:create");
  return (
    <Stack gap="xs">
      <Group>
        <Button
          variant="default"
          onClick={() => onAsk("rotate")}
          disabled={!mayRotate || isDisabled}
          ref={focused === "rotate" ? cancelled : null}
        >
          Rotate…
        </Button>
        <Button
          variant="default"
          loading={setDisabled.isPending}
          onClick={() => setDisabled.mutate({ id: apiKey.id, disabled: !isDisabled })}
          // Disabling the key of this session would end the session, and with it the way to enable the key again.
          disabled={isOwn || !may(isDisabled ? "api-keys:create" : "api-keys:revoke")}
        >
          {isDisabled ? "Enable" : "Disable"}
        </Button>
        <Button
          color="red.9"
          onClick={() => onAsk("revoke")}
          disabled={!mayRevoke}
          ref={focused === "revoke" ? cancelled : null}
        >
          Revoke…
        </Button>
      </Group>
      {!mayRotate && (
        <Text size="sm" c="dimmed">
          {mayRevoke
            ? "Your key lacks a permission: rotating needs api-keys:revoke and api-keys:create."
            : "Your key lacks a permission: revoking needs api-keys:revoke; rotating also needs api-keys:create."}
        </Text>
      )}
    </Stack>
  );
}
