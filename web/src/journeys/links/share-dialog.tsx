import { Alert, Button, Code, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { JOURNEY_RUN_LINK_LIMITS, LINK_HOURS_DEFAULT } from "@waymark/shared/journey-runs/links/limits.ts";
import type { CreatedJourneyRunLink, LinkIncludes } from "@waymark/shared/journey-runs/links/schema.ts";
import { useState } from "react";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { Select } from "../../lib/select.tsx";
import { Time } from "../../lib/time.tsx";
import { useReturnFocus } from "../../lib/use-return-focus.ts";
import { useCreateRunLink } from "./use-run-links.ts";

const LIFETIMES = [
  { value: "1", label: "1 hour" },
  { value: "24", label: "1 day" },
  { value: String(LINK_HOURS_DEFAULT), label: "7 days" },
  { value: String(JOURNEY_RUN_LINK_LIMITS.hoursMax), label: "30 days" },
];

/** Asks what a link to a run shows and for how long, and shows it once. */
export function ShareDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const create = useCreateRunLink(runId);
  const [hours, setHours] = useState(String(LINK_HOURS_DEFAULT));
  const [includes, setIncludes] = useState<LinkIncludes>("verdicts");
  const [note, setNote] = useState("");
  if (create.data !== undefined) return <NewLink link={create.data} onClose={onClose} />;
  const submit = () => {
    const given = note.trim();
    create.mutate({ hours: Number(hours), includes, ...(given !== "" && { note: given }) });
  };
  return (
    <FormDialog
      title="Share this run"
      submitLabel="Create link"
      request={create}
      failureTitle="The link was not created"
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">
        Whoever has the link reads this run without an account, and nothing else of your organization.
      </Text>
      <Radio.Group
        label="It shows"
        value={includes}
        onChange={(value) => setIncludes(value === "exchanges" ? "exchanges" : "verdicts")}
      >
        <Stack gap="xs" mt={4}>
          <Radio
            value="verdicts"
            label="Only verdicts"
            description="Steps, assertions and times, without bodies, headers, values and addresses"
          />
          <Radio
            value="exchanges"
            label="Also requests and responses"
            description="As this page has them. Look for personal data before: only secrets are hidden"
          />
        </Stack>
      </Radio.Group>
      <Select
        label="It works for"
        allowDeselect={false}
        data={LIFETIMES}
        value={hours}
        onChange={(value) => setHours(value ?? hours)}
      />
      <TextInput
        label="Note"
        description="Whom it is for. Readers of the link don't see it"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={JOURNEY_RUN_LINK_LIMITS.noteMax}
      />
    </FormDialog>
  );
}

function NewLink({ link, onClose }: { link: CreatedJourneyRunLink; onClose: () => void }) {
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title="Share this run" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" title="Copy the link now">
          It can&apos;t be shown again. It works until <Time at={link.expiresAt} />, for everybody who has it.
        </Alert>
        <Code block className="wraps" tabIndex={0} aria-label="Link to the run">
          {link.url}
        </Code>
        <CopyTextButton value={link.url} label="Copy the link" />
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Stack>
    </Modal>
  );
}
