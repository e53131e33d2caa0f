import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { NewKey } from "./new-key.tsx";
import { useBlockLeaving } from "./use-block-leaving.ts";

/** Shows a new key. Asks before it closes if the key was not copied, because nothing shows the key again. */
export function NewKeyDialog(props: {
  created: CreatedApiKeyResult;
  isPersonal?: boolean;
  onClose: () => void;
}) {
  const { created, isPersonal = false, onClose } = props;
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useReturnFocus();
  useBlockLeaving(!isCopied, () => setAsking(true));
  return (
    <Modal
      opened
      onClose={() => (isCopied ? onClose() : setAsking(true))}
      title="The new key"
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack>
        {isAsking && <CloseQuestion onClose={onClose} onStay={() => setAsking(false)} />}
        <NewKey
          created={created}
          isPersonal={isPersonal}
          onCopied={() => {
            setCopied(true);
            setAsking(false);
          }}
          onDone={onClose}
        />
      </Stack>
    </Modal>
  );
}

function CloseQuestion({ onClose, onStay }: { onClose: () => void; onStay: () => void }) {
  return (
    <Alert color="red" title="Close without copying the key?" role="alert">
      <Stack gap="xs">
        <Text size="sm">Waymark stores only a hash of the key and can't show it again.</Text>
        <Group>
          <Button size="xs" variant="default" onClick={onStay}>
            Keep it open
          </Button>
          <Button size="xs" color="red.9" onClick={onClose}>
            Close without copying
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
