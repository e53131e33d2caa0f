import { Button, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useEffect } from "react";

/** Copies a text. Browsers allow it on https and localhost only; elsewhere it says what to do. */
export function CopyTextButton(props: { value: string; label: string; onCopied?: () => void }) {
  const { value, label, onCopied } = props;
  const { copy, copied, error } = useClipboard();
  useEffect(() => {
    if (copied) onCopied?.();
    // Only when it was copied, not with each new function.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [copied]);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => copy(value)} aria-live="polite">
        {copied ? "Copied" : label}
      </Button>
      {error !== null && (
        <Text size="sm" role="alert">
          The browser doesn't allow copying here. Select the text and copy it with the keyboard.
        </Text>
      )}
    </>
  );
}
