import { Paper, Text } from "@mantine/core";
import type { DailyBreaks } from "@waymark/shared/services/overview/schema.ts";
import { useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";
import { describeNotCompared, runsOf } from "./days-of-breaks.ts";
import { PlotFrame } from "../plot-frame.tsx";
import { stackedAreas, upperEdge } from "../stacked-areas.ts";
import classes from "./totals-over-time.module.css";

// The days are of UTC.
const dayFormat = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric", timeZone: "UTC" });
const nameOf = ({ day }: DailyBreaks) => dayFormat.format(Date.parse(day));
const PLOT_HEIGHT = 136;
const NAME = "breaking changes";

/** Plots how many changes broke clients on each day, and says how many runs nobody compared. */
export function BreaksOverTime({ days }: { days: readonly DailyBreaks[] }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const counts = days.map(({ breakingChanges }) => breakingChanges);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const edge = upperEdge(Math.max(...counts));
  const shown = pointed === null ? undefined : days[pointed];
  const notCompared = describeNotCompared(runsOf(shown === undefined ? days : [shown]));
  const inDays = `in ${countOf(days.length, "days")}`;
  const [area] = stackedAreas([counts], edge);
  return (
    <Paper withBorder p="sm">
      <div className={classes["head"]}>
        <Text fw={600}>{countOf(shown?.breakingChanges ?? total, NAME)}</Text>
        <Text size="sm" c="dimmed">
          {shown === undefined ? inDays : nameOf(shown)}
        </Text>
      </div>
      <PlotFrame
        label={`${countOf(total, NAME)} ${inDays}, at most ${Math.max(...counts).toLocaleString(LOCALE)} a day. ${describeNotCompared(runsOf(days))}`.trim()}
        height={PLOT_HEIGHT}
        edge={edge}
        times={[days[0], days.at(-1)].map((day) => (day === undefined ? "" : nameOf(day)))}
        pointed={pointed === null ? null : (pointed + 0.5) / days.length}
        onPoint={(share) =>
          setPointed(share === null ? null : Math.min(Math.floor(share * days.length), days.length - 1))
        }
      >
        <path d={area} fill="var(--bar-critical)" />
      </PlotFrame>
      {notCompared !== "" && (
        <Text size="sm" c="dimmed" mt="xs">
          {notCompared}
        </Text>
      )}
    </Paper>
  );
}

/** The days with runs, the newest first. */
export function BreaksTable({ days }: { days: readonly DailyBreaks[] }) {
  const label = "Breaking changes of the days with runs";
  return (
    // On a phone it scrolls, also by keyboard.
    <div className={classes["scroller"]} tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label} className={classes["days"]}>
        <thead>
          <tr>
            {["Day (UTC)", "Breaking changes", "Runs compared", "Runs not compared"].map((heading) => (
              <th key={heading}>{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ comparedRuns, notComparedRuns }) => comparedRuns + notComparedRuns > 0)
            .toReversed()
            .map((day) => (
              <tr key={day.day}>
                <th scope="row">{nameOf(day)}</th>
                <td>{day.breakingChanges.toLocaleString(LOCALE)}</td>
                <td>{day.comparedRuns.toLocaleString(LOCALE)}</td>
                <td>{day.notComparedRuns.toLocaleString(LOCALE)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
