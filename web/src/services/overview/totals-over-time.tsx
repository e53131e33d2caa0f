import { Paper, Text } from "@mantine/core";
import type { DailyBreaks, DailyTotals } from "@waymark/shared/services/overview/schema.ts";
import { useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { SEVERITIES } from "../../lib/severities.ts";
import { BreaksOverTime, BreaksTable } from "./breaks-over-time.tsx";
import { describeTotals, findingsOf } from "./describe-totals.ts";
import { PlotFrame } from "../plot-frame.tsx";
import { stackedAreas, upperEdge } from "../stacked-areas.ts";
import classes from "./totals-over-time.module.css";
import { LOCALE } from "../../lib/locale.ts";

// The days are of UTC.
const dayFormat = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric", timeZone: "UTC" });
const PLOT_HEIGHT = 136;
const nameOf = ({ day }: DailyTotals) => dayFormat.format(Date.parse(day));

interface Series {
  color: string;
  valueOf: (totals: DailyTotals) => number;
}

const SERVICES: Series[] = [{ color: "--series-services", valueOf: ({ serviceCount }) => serviceCount }];
const ENDPOINTS: Series[] = [{ color: "--series-endpoints", valueOf: ({ endpointCount }) => endpointCount }];
/** The worst at the bottom, where a change shows best. */
const FINDINGS: Series[] = SEVERITIES.map((severity) => ({
  color: `--bar-${severity}`,
  valueOf: ({ findingsBySeverity }) => findingsBySeverity[severity],
}));

/** Plots the numbers of services, endpoints, findings and breaking changes of the last days, in one line until it is opened. */
export function TotalsOverTime({
  days,
  breaks,
}: {
  days: readonly DailyTotals[];
  breaks: readonly DailyBreaks[];
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes["table"]} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The last {days.length} days in charts</summary>
      {isOpen && <Charts days={days} breaks={breaks} />}
    </details>
  );
}

function Charts({ days, breaks }: { days: readonly DailyTotals[]; breaks: readonly DailyBreaks[] }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const shared = { days, pointed, onPoint: setPointed };
  return (
    <section aria-label={`The last ${days.length} days`}>
      <Text size="sm" c="dimmed" my="xs">
        Findings are all that the current scans had on each day, also decided ones.
      </Text>
      <div className={classes["plots"]}>
        <Plot name="services" series={SERVICES} {...shared} />
        <Plot name="endpoints" series={ENDPOINTS} {...shared} />
        <Plot name="findings" series={FINDINGS} {...shared} />
        <BreaksOverTime days={breaks} />
      </div>
      <details className={classes["table"]}>
        <summary>Show as a table</summary>
        <TotalsTable days={days} />
        <BreaksTable days={breaks} />
      </details>
    </section>
  );
}

interface PlotProps {
  name: string;
  series: readonly Series[];
  days: readonly DailyTotals[];
  /** The day under the pointer, in all plots. */
  pointed: number | null;
  onPoint: (index: number | null) => void;
}

function Plot({ name, series, days, pointed, onPoint }: PlotProps) {
  const sums = days.map((day) => series.reduce((sum, { valueOf }) => sum + valueOf(day), 0));
  const edge = upperEdge(Math.max(...sums));
  const areas = stackedAreas(
    series.map(({ valueOf }) => days.map(valueOf)),
    edge,
  );
  const shown = (pointed === null ? undefined : days[pointed]) ?? days.at(-1);
  const indexAt = (share: number) => Math.min(Math.floor(share * days.length), days.length - 1);
  return (
    <Paper withBorder p="sm">
      <div className={classes["head"]}>
        <Text fw={600}>{countOf(sums[pointed ?? -1] ?? sums.at(-1) ?? 0, name)}</Text>
        <Text size="sm" c="dimmed">
          {shown !== undefined && nameOf(shown)}
        </Text>
      </div>
      <PlotFrame
        label={describeTotals(name, days, sums)}
        height={PLOT_HEIGHT}
        edge={edge}
        times={[days[0], days.at(-1)].map((day) => (day === undefined ? "" : nameOf(day)))}
        pointed={pointed === null ? null : (pointed + 0.5) / days.length}
        onPoint={(share) => onPoint(share === null ? null : indexAt(share))}
      >
        {areas.map((d, index) => (
          <path key={index} d={d} fill={`var(${series[index]?.color})`} />
        ))}
      </PlotFrame>
    </Paper>
  );
}

/** The days on which something changed, the newest first. */
function TotalsTable({ days }: { days: readonly DailyTotals[] }) {
  const textOf = (totals: DailyTotals) => JSON.stringify({ ...totals, day: "" });
  const changed = days.filter((day, index) => {
    const before = days[index - 1];
    return before === undefined || textOf(before) !== textOf(day);
  });
  const label = "Totals of the days on which they changed";
  return (
    // On a phone it scrolls, also by keyboard.
    <div className={classes["scroller"]} tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label} className={classes["days"]}>
        <thead>
          <tr>
            {["Day (UTC)", "Services", "Endpoints", "Findings", ...SEVERITIES].map((heading) => (
              <th key={heading}>{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changed.toReversed().map((totals) => (
            <tr key={totals.day}>
              <th scope="row">{nameOf(totals)}</th>
              <td>{totals.serviceCount.toLocaleString(LOCALE)}</td>
              <td>{totals.endpointCount.toLocaleString(LOCALE)}</td>
              <td>{findingsOf(totals).toLocaleString(LOCALE)}</td>
              {SEVERITIES.map((severity) => (
                <td key={severity}>{totals.findingsBySeverity[severity].toLocaleString(LOCALE)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
