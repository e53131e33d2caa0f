import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { RequestError } from "./request-error.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

/** Asks before something that can't be undone. */
export function ConfirmDialog(props: {
  title: string;
  /** The label of the button, such as `Delete environment`. */
  action: string;
  children: ReactNode;
  pending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const { title, action, children, pending, error, onConfirm, onClose } = props;
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title={<span className="breaks">{title}</span>}>
      <Stack>
        <div className="breaks">{children}</div>
        {error !== null && <RequestError title="Nothing was changed" error={error} />}
        <Group>
          <Button color="red.9" loading={pending} onClick={onConfirm}>
            {action}
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
