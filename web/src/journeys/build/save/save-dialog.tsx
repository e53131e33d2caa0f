import { Alert, Button, Group, Modal, Stack, TextInput, Title } from "@mantine/core";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/schema.ts";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../../lib/api.ts";
import { useCloseWhenIdle } from "../../../lib/use-close-when-idle.ts";
import { useReturnFocus } from "../../../lib/use-return-focus.ts";
import { Conflict } from "./conflict.tsx";
import { Effects } from "./effects.tsx";
import { TextDifference } from "../../text-difference/text-difference.tsx";
import type { BaseVersion } from "./use-draft.ts";
import { SAVE_KEY, type Saving, useDryRun, useSave } from "./use-save.ts";

export interface SaveDialogProps {
  base: BaseVersion;
  saving: Saving;
  onSaved: (version: number) => void;
  /** The text becomes this one, as a change of that version. */
  onMerge: (head: BaseVersion, text: string) => void;
  /** The text becomes that version's. */
  onTakeTheirs: (head: BaseVersion) => void;
  onClose: () => void;
}

/** Shows what is about to change, here and in documents that refer to this one, and saves it with a message. */
export function SaveDialog(props: SaveDialogProps) {
  const { base, saving, onSaved } = props;
  useReturnFocus();
  const dryRun = useDryRun(saving);
  const save = useSave(saving);
  const [message, setMessage] = useState("");
  const headVersion = conflictOf(save.error ?? dryRun.error);
  // If a later dry run fails, the effects that an earlier one found stay on the page.
  const error = save.error ?? (dryRun.isLoadingError ? dryRun.error : null);
  // The dialog stays until the request ends, because the response has the version to go on from.
  const onClose = useCloseWhenIdle(SAVE_KEY, props.onClose);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(message.trim(), {
      onSuccess: ({ documents }) => onSaved(documents[0]?.version ?? saving.baseVersion),
    });
  };

  if (headVersion !== undefined) {
    return (
      <Modal opened onClose={onClose} title="Somebody else saved a version" size="xl">
        <Conflict
          {...props}
          headVersion={headVersion}
          onMerge={(head, text) => {
            save.reset();
            props.onMerge(head, text);
          }}
        />
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={`Save version ${base.version + 1}`} size="xl">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Message"
            description="What changes, and why. Optional."
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            maxLength={JOURNEY_LIMITS.messageMax}
            data-autofocus
          />
          <section aria-label="What changes">
            <Title order={3} size="h3" mb="xs">
              Change of version {base.version}
            </Title>
            <TextDifference before={base.text} after={saving.text} label="Changed lines" />
          </section>
          <Effects dryRun={dryRun} />
          {error !== null && (
            <Alert color="red" role="alert" title="This can't be saved">
              {error.message}
            </Alert>
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose} disabled={save.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The newest version, if that is why nothing was saved. */
function conflictOf(error: Error | null): number | null | undefined {
  if (!(error instanceof ApiError) || error.code !== "version_conflict") return undefined;
  return error.conflicts[0]?.headVersion ?? null;
}
