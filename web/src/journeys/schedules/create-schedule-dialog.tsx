import { Button, Checkbox, Group, Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { useEnvironmentChoices } from "../../lib/use-choices.ts";
import { describeCron } from "./describe-cron.ts";
import { timeZones } from "./format-in-zone.ts";
import { useCreateSchedule } from "./use-schedules.ts";

const EXAMPLES = ["30 2 * * MON-FRI", "*/15 * * * *", "0 6 * * *", "0 3 1 * *"];

export function CreateScheduleDialog({ journeyId, onClose }: { journeyId: string; onClose: () => void }) {
  const create = useCreateSchedule(journeyId);
  const environments = useEnvironmentChoices();
  const [name, setName] = useState("");
  const [environmentId, setEnvironmentId] = useState<string | null>(null);
  const [cron, setCron] = useState(EXAMPLES[0] ?? "");
  const [timeZone, setTimeZone] = useState(() => timeZones().own);
  const [queues, setQueues] = useState(false);
  const [catchesUp, setCatchesUp] = useState(false);
  const submit = () => {
    if (environmentId === null) return;
    const overlap = queues ? "queue" : "skip";
    const catchUp = catchesUp ? "one" : "none";
    create.mutate(
      { name, journeyId, environmentId, cron, timeZone, overlap, catchUp, version: null, jitterSeconds: 0 },
      { onSuccess: onClose },
    );
  };
  return (
    <FormDialog
      title="Create a schedule"
      size="lg"
      submitLabel="Create schedule"
      request={create}
      failureTitle="The schedule was not created"
      isDisabled={name === "" || environmentId === null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Unique in the organization, for example: nightly checkout"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      <Select
        label="Environment"
        description="A protected one runs the released version, others the newest."
        data={environments.map((one) => ({ value: one.id, label: one.name }))}
        value={environmentId}
        onChange={setEnvironmentId}
        nothingFoundMessage="There is no environment yet, or your key can't list them. The page Environments makes one."
        required
      />
      <CronField cron={cron} timeZone={timeZone} onChange={setCron} />
      <Select
        label="Time zone"
        data={timeZones().all}
        value={timeZone}
        onChange={(next) => setTimeZone(next ?? "UTC")}
        allowDeselect={false}
        limit={100}
        searchable
      />
      <Checkbox
        label="Wait for the run before"
        description="If the run before has not ended, one run waits for its end. Otherwise the time is skipped."
        checked={queues}
        onChange={(event) => setQueues(event.currentTarget.checked)}
      />
      <Checkbox
        label="Make up for missed times"
        description="After a time without workers, one run is started for all times that were missed."
        checked={catchesUp}
        onChange={(event) => setCatchesUp(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** A field for a cron expression, with its meaning and with examples. */
function CronField(props: { cron: string; timeZone: string; onChange: (cron: string) => void }) {
  const { cron, timeZone, onChange } = props;
  const words = describeCron(cron);
  return (
    <div>
      <TextInput
        label="When"
        description="Minute, hour, day of the month, month, day of the week. * stands for each."
        value={cron}
        onChange={(event) => onChange(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
        required
      />
      <Text size="sm" role="status" mt={4}>
        {words === undefined
          ? "No words for this expression: the server checks it."
          : `Runs ${words}, ${timeZone}.`}
      </Text>
      <Group gap={6} mt={6}>
        {EXAMPLES.map((example) => (
          <Button key={example} size="compact-xs" variant="default" onClick={() => onChange(example)}>
            {describeCron(example)}
          </Button>
        ))}
      </Group>
    </div>
  );
}
