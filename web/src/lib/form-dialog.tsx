import { Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { RequestError } from "./request-error.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

/** A dialog with a form, the failure of its last submission, and buttons to submit and to cancel. */
export function FormDialog(props: {
  title: ReactNode;
  size?: ModalProps["size"];
  submitLabel: string;
  /** The request that the form makes. */
  request: { isPending: boolean; error: Error | null };
  failureTitle: string;
  isDisabled?: boolean;
  /** Attributes of the form that browsers obey. */
  form?: { noValidate?: boolean; autoComplete?: "off" };
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const {
    title,
    size,
    submitLabel,
    request,
    failureTitle,
    isDisabled = false,
    form,
    onSubmit,
    onClose,
    children,
  } = props;
  useReturnFocus();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      {...(size !== undefined && { size })}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} {...form}>
        <Stack>
          {children}
          {request.error !== null && <RequestError title={failureTitle} error={request.error} />}
          <Group>
            <Button type="submit" loading={request.isPending} disabled={isDisabled}>
              {submitLabel}
            </Button>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
