import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { API_KEY_LIMITS, type ApiKey, type CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { parseWholeNumber } from "../lib/parse-whole-number.ts";
import { useFocusOnMount } from "../lib/use-focus-on-mount.ts";
import { useCloseWhenIdle } from "../lib/use-close-when-idle.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { WholeNumberInput } from "../lib/whole-number-input.tsx";
import { KEYS } from "./api-queries.ts";
import { KeyActions } from "./key-actions.tsx";
import { KeyDetails } from "./key-details.tsx";
import type { RelatedKeys } from "./key-lineage.ts";
import { RevokeForm } from "./revoke-form.tsx";
import { useRevokeKey, useRotateKey, useSetKeyDisabled } from "./use-api-keys.ts";

const GRACE_HOURS = 24;
const HOUR_SECONDS = 3600;
const GRACE_HOURS_MAX = API_KEY_LIMITS.graceSecondsMax / HOUR_SECONDS;

/** The details of one key, and the actions on it. An action that can't be undone asks for confirmation. */
export function ApiKeyDialog(props: {
  apiKey: ApiKey;
  related: RelatedKeys;
  isOwn: boolean;
  onRotated: (created: CreatedApiKeyResult) => void;
  onClose: () => void;
}) {
  const { apiKey, related, isOwn, onRotated, onClose } = props;
  useReturnFocus();
  const close = useCloseWhenIdle(KEYS, onClose);
  const [asking, setAsking] = useState<"rotate" | "revoke" | null>(null);
  const [asked, setAsked] = useState<"rotate" | "revoke">();
  const ask = (what: "rotate" | "revoke") => {
    setAsking(what);
    setAsked(what);
  };
  const rotate = useRotateKey();
  const revoke = useRevokeKey();
  const setDisabled = useSetKeyDisabled();
  const failure = rotate.error ?? revoke.error ?? setDisabled.error;

  return (
    <Modal opened onClose={close} title={<span className="breaks">{apiKey.name}</span>} size="lg">
      <Stack>
        <KeyDetails apiKey={apiKey} related={related} />
        {failure !== null && (
          <Alert color="red" role="alert" title={failureTitle({ rotate, revoke })}>
            {failure.message}
          </Alert>
        )}
        {asking === null && apiKey.status === "active" && (
          <KeyActions apiKey={apiKey} isOwn={isOwn} setDisabled={setDisabled} focused={asked} onAsk={ask} />
        )}
        {asking === "rotate" && (
          <RotateForm
            isOwn={isOwn}
            pending={rotate.isPending}
            onRotate={(graceSeconds) =>
              rotate.mutate({ id: apiKey.id, graceSeconds }, { onSuccess: onRotated })
            }
            onKeep={() => setAsking(null)}
          />
        )}
        {asking === "revoke" && (
          <RevokeForm
            isOwn={isOwn}
            pending={revoke.isPending}
            onRevoke={(children) =>
              revoke.mutate({ id: isOwn ? "self" : apiKey.id, children }, { onSuccess: onClose })
            }
            onKeep={() => setAsking(null)}
          />
        )}
      </Stack>
    </Modal>
  );
}

function failureTitle({
  rotate,
  revoke,
}: {
  rotate: { isError: boolean };
  revoke: { isError: boolean };
}): string {
  if (rotate.isError) return "Couldn't rotate key";
  return revoke.isError ? "Couldn't revoke key" : "Couldn't change key";
}

function RotateForm(props: {
  isOwn: boolean;
  pending: boolean;
  onRotate: (graceSeconds: number) => void;
  onKeep: () => void;
}) {
  const { isOwn, pending, onRotate, onKeep } = props;
  const [text, setText] = useState(String(GRACE_HOURS));
  const hours = parseWholeNumber(text, { min: 0, max: GRACE_HOURS_MAX });
  const input = useFocusOnMount<HTMLInputElement>();
  return (
    <Stack gap="xs">
      <WholeNumberInput
        label="Grace period for old key (hours)"
        description="Waymark creates a new key with the same scopes now. With 0, the old key expires immediately."
        value={text}
        onChange={setText}
        error={hours === undefined && `Enter a whole number from 0 to ${GRACE_HOURS_MAX}.`}
        maw={320}
        ref={input}
      />
      {isOwn && <Text size="sm">You are signed in with this key. When it expires, your session ends.</Text>}
      <Group>
        <Button
          loading={pending}
          disabled={hours === undefined}
          onClick={() => hours !== undefined && onRotate(hours * HOUR_SECONDS)}
        >
          Rotate key
        </Button>
        <Button variant="default" onClick={onKeep}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
