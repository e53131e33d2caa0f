import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { RequestError } from "../../lib/request-error.tsx";
import { timeFormats } from "../../lib/time-formats.ts";
import { useReturnFocus } from "../../lib/use-return-focus.ts";
import type { InboxItem } from "./inbox-items.ts";
import { daysOf, nineOf, snoozeTimes } from "./snooze-times.ts";
import { useSnooze } from "./use-snoozes.ts";

/** Asks until when an item is snoozed. */
export function SnoozeDialog(props: {
  item: InboxItem;
  onSnoozed: (until: string) => void;
  onClose: () => void;
}) {
  const { item, onSnoozed, onClose } = props;
  const snooze = useSnooze();
  const [now] = useState(() => new Date());
  const [day, setDay] = useState("");
  useReturnFocus();
  const { event } = item;
  if (event === null) return null;
  const until = nineOf(day, now);
  const { first, last } = daysOf(now);
  const choose = (time: Date) =>
    snooze.mutate({ event, until: time }, { onSuccess: (stored) => onSnoozed(stored.until) });
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    if (until !== undefined) choose(until);
  };
  return (
    <Modal opened onClose={onClose} title="Snooze">
      <Stack>
        <Text className="breaks" fw={600}>
          {item.service === null ? item.text : `${item.service.name}: ${item.text}`}
        </Text>
        <Group>
          {snoozeTimes(now).map(({ label, until: time }, index) => (
            <Button
              key={label}
              variant="default"
              disabled={snooze.isPending}
              onClick={() => choose(time)}
              title={timeFormats().long.format(time)}
              {...(index === 0 && { "data-autofocus": true })}
            >
              {label}
            </Button>
          ))}
        </Group>
        <form onSubmit={submit}>
          <Group align="end">
            <TextInput
              type="date"
              label="Another day"
              value={day}
              min={first}
              max={last}
              onChange={(changed) => setDay(changed.currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={until === undefined || snooze.isPending}>
              Until 9:00 of that day
            </Button>
          </Group>
        </form>
        <Text size="sm" c="dimmed">
          It leaves your inbox, and nobody else’s. It comes back earlier if something new happens to it or it
          becomes worse. The numbers above the inbox stay as they are.
        </Text>
        {snooze.error !== null && <RequestError title="It was not snoozed" error={snooze.error} />}
      </Stack>
    </Modal>
  );
}
