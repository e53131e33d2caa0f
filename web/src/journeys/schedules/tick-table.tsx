import { Anchor, Badge, Button, Skeleton, Stack, Text } from "@mantine/core";
import type { JourneySchedule, JourneyScheduleTick } from "@waymark/shared/journey-schedules/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { formatInZone } from "./format-in-zone.ts";
import { useTicks } from "./use-schedules.ts";

const COLORS: Record<JourneyScheduleTick["outcome"], string> = {
  started: "teal.9",
  skipped: "gray.7",
  missed: "#8a6100",
  refused: "red.9",
};

/** Shows the outcomes of the schedule's times: the last one, and all of them on demand. */
export function TickTable({ schedule }: { schedule: JourneySchedule }) {
  const [isOpen, setIsOpen] = useState(false);
  const { lastTick, timeZone, name } = schedule;
  if (lastTick === null) return <Text size="sm">No time has come yet.</Text>;
  return (
    <Stack gap="xs" align="stretch">
      {isOpen ? (
        <AllTicks schedule={schedule} />
      ) : (
        <Ticks ticks={[lastTick]} timeZone={timeZone} caption={`Last time of ${name}`} />
      )}
      <Button
        size="xs"
        variant="default"
        w="fit-content"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Show the last time only" : "Show earlier times"}
      </Button>
    </Stack>
  );
}

function AllTicks({ schedule }: { schedule: JourneySchedule }) {
  const ticks = useTicks(schedule);
  if (ticks.isPending) return <Skeleton height={120} aria-label="Loading the times" />;
  if (ticks.isLoadingError) return <ErrorAlert error={ticks.error} onRetry={() => void ticks.refetch()} />;
  return (
    <>
      <Ticks ticks={ticks.data} timeZone={schedule.timeZone} caption={`Times of ${schedule.name}`} />
      <LoadMore pages={ticks} label="Load older times" />
    </>
  );
}

function Ticks(props: { ticks: readonly JourneyScheduleTick[]; timeZone: string; caption: string }) {
  const { ticks, timeZone, caption } = props;
  return (
    <ResponsiveTable aria-label={caption}>
      <thead>
        <tr>
          <th>Time</th>
          <th>Outcome</th>
          <th>Run</th>
        </tr>
      </thead>
      <tbody>
        {ticks.map(({ dueAt, outcome, runId, reason }) => (
          <tr key={dueAt}>
            <td>
              <time dateTime={dueAt}>{formatInZone(dueAt, timeZone)}</time>
            </td>
            <td data-label="Outcome" data-wide className="breaks">
              <Badge color={COLORS[outcome]}>{outcome}</Badge> {reason}
            </td>
            <td data-label="Run">
              {runId === null ? (
                "none"
              ) : (
                <Anchor component={Link} href={`/journey-runs/${runId}`}>
                  Open the run
                </Anchor>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </ResponsiveTable>
  );
}
