import { Badge, Button, Group, List, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Fact, Facts } from "../../lib/facts.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { describeCron } from "./describe-cron.ts";
import { formatInZone } from "./format-in-zone.ts";
import { TickTable } from "./tick-table.tsx";
import { useRemoveSchedule, useSchedules, useSetEnabled } from "./use-schedules.ts";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";

const ConfirmDialog = lazyDialog(async () => (await import("../../lib/confirm-dialog.tsx")).ConfirmDialog);
const CreateScheduleDialog = lazyDialog(
  async () => (await import("./create-schedule-dialog.tsx")).CreateScheduleDialog,
);

/** Shows the schedules on which Waymark runs the journey. */
export function SchedulesPanel({ journeyId }: { journeyId: string }) {
  const schedules = useSchedules(journeyId);
  const maySchedule = useMay("journeys:schedule");
  const dialog = useUrlDialog("schedule");
  return (
    <Stack>
      <Group justify="space-between">
        <LacksPermission permission="journeys:schedule" purpose="change schedules" />
        <Button disabled={!maySchedule} onClick={() => dialog.open("new")} ml="auto">
          Create a schedule
        </Button>
      </Group>
      {schedules.isPending && <Skeleton height={320} aria-label="Loading the schedules" />}
      {schedules.isLoadingError && (
        <ErrorAlert error={schedules.error} onRetry={() => void schedules.refetch()} />
      )}
      {schedules.data !== undefined && schedules.data.length === 0 && (
        <Text role="status">No schedule runs this journey.</Text>
      )}
      {schedules.data?.map((schedule) => (
        <Schedule key={schedule.id} schedule={schedule} />
      ))}
      {dialog.value !== "" && maySchedule && (
        <CreateScheduleDialog journeyId={journeyId} onClose={dialog.close} />
      )}
    </Stack>
  );
}

function Schedule({ schedule }: { schedule: JourneySchedule }) {
  const { id, name, enabled, pausedReason } = schedule;
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={`schedule-${id}`}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="sm">
            <Title order={2} size="h3" id={`schedule-${id}`} className="breaks">
              {name}
            </Title>
            <Badge color={enabled ? "teal.9" : "grape.9"}>{enabled ? "active" : "paused"}</Badge>
          </Group>
          <ScheduleActions schedule={schedule} />
        </Group>
        {pausedReason !== null && <Text size="sm">The server paused it: {pausedReason}</Text>}
        <ScheduleFacts schedule={schedule} />
        <TickTable schedule={schedule} />
      </Stack>
    </Paper>
  );
}

function ScheduleActions({ schedule }: { schedule: JourneySchedule }) {
  const { id, name, enabled } = schedule;
  const maySchedule = useMay("journeys:schedule");
  const setEnabled = useSetEnabled(schedule);
  const remove = useRemoveSchedule(schedule);
  const dialog = useUrlDialog("remove");
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={!maySchedule}
          loading={setEnabled.isPending}
          aria-label={`${enabled ? "Pause" : "Resume"} ${name}`}
          onClick={() => setEnabled.mutate(!enabled)}
        >
          {enabled ? "Pause" : "Resume"}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!maySchedule}
          aria-label={`Remove ${name}`}
          onClick={() => dialog.open(id)}
        >
          Remove…
        </Button>
      </Group>
      {setEnabled.isError && <RequestError title="The schedule was not changed" error={setEnabled.error} />}
      {dialog.value === id && maySchedule && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          action="Remove schedule"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: dialog.close })}
          onClose={dialog.close}
        >
          What became of its times is deleted with it. Its runs stay.
        </ConfirmDialog>
      )}
    </>
  );
}

const OVERLAPS = {
  skip: "skips a time while the run before it goes on",
  queue: "waits for the end of the run before it, with one run at most",
} as const;

function ScheduleFacts({ schedule }: { schedule: JourneySchedule }) {
  const { cron, timeZone, environmentName, version, overlap, catchUp, jitterSeconds, nextTimes } = schedule;
  const words = describeCron(cron);
  return (
    <Facts>
      <Fact name="When">
        {words === undefined ? `${cron}, ${timeZone}` : `${words}, ${timeZone} (${cron})`}
      </Fact>
      <Fact name="What">
        {version === null ? "the newest version" : `version ${version}`} in {environmentName}
      </Fact>
      <Fact name="Overlap">
        {OVERLAPS[overlap]}
        {catchUp === "one" && ", makes up for missed times with one run"}
        {jitterSeconds > 0 && `, starts up to ${jitterSeconds} s later`}
      </Fact>
      <Fact name="Next times">
        {nextTimes.length === 0 ? (
          "none while it is paused"
        ) : (
          <List listStyleType="none" size="sm">
            {nextTimes.map((at) => (
              <List.Item key={at}>
                <time dateTime={at}>{formatInZone(at, timeZone)}</time>
              </List.Item>
            ))}
          </List>
        )}
      </Fact>
    </Facts>
  );
}
