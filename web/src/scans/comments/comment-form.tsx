import { Button, Group, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { RequestError } from "../../lib/request-error.tsx";

/** A field for a comment, and the button that stores it. */
export function CommentForm(props: {
  /** The name of the form, such as `Comment on this finding`. */
  name: string;
  /** Says who reads it. */
  description: string;
  action: string;
  textMax: number;
  initialText?: string;
  pending: boolean;
  error: Error | null;
  /** Stores the text, and calls `onStored`, which empties the field. */
  onSubmit: (text: string, onStored: () => void) => void;
  /** Undefined where there is nothing to go back to. */
  onCancel?: () => void;
}) {
  const { name, description, action, textMax, initialText = "", pending, error, onSubmit, onCancel } = props;
  const [text, setText] = useState(initialText);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Text that was typed meanwhile stays.
    onSubmit(text, () => setText((typed) => (typed === text ? "" : typed)));
  };
  return (
    <form onSubmit={submit} aria-label={name}>
      <Stack gap="xs">
        <Textarea
          label="Comment"
          description={description}
          autosize
          minRows={2}
          maxRows={20}
          value={text}
          autoFocus={onCancel !== undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={textMax}
        />
        {error !== null && <RequestError title="The comment was not stored" error={error} />}
        <Group gap="xs">
          <Button
            type="submit"
            size="xs"
            variant="default"
            loading={pending}
            disabled={text.trim() === "" || text === initialText}
          >
            {action}
          </Button>
          {onCancel !== undefined && (
            <Button size="xs" variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
