import { Group, Paper, Skeleton, Text, Title } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { LoadMore, type Pages } from "../lib/load-more.tsx";
import { Time } from "../lib/time.tsx";
import { describeHistory, isSameDay, plottedRuns } from "./describe-history.ts";
import { HistoryPlot } from "./history-plot.tsx";
import classes from "./history.module.css";
import { LOCALE } from "../lib/locale.ts";

const PLOT_HEIGHT = 180;

/** Plots of the loaded runs that were promoted, and the way to load older ones, if there are any. */
export function History({ runs, pages }: { runs: readonly ScanRun[]; pages: Pages }) {
  const { plotted, heldCount } = useMemo(() => plottedRuns(runs), [runs]);
  if (plotted.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <Group justify="space-between" mb="xs" gap="xs">
        <Group gap="sm" align="baseline">
          <Title order={2} size="h3" id="history">
            History
          </Title>
          <Text size="sm" c="dimmed" role="status">
            <Span runs={plotted} hasOlder={pages.hasNextPage} />
            {heldCount > 0 && `. Not plotted: ${countOf(heldCount, "runs")} not promoted`}
          </Text>
        </Group>
        <LoadMore pages={pages} label="Load older runs" />
      </Group>
      <div className={classes["plots"]}>
        <Plot label="Endpoints" field="endpointCount" color="--series-endpoints" runs={plotted} />
        <Plot label="Findings" field="findingCount" color="--series-findings" runs={plotted} />
      </div>
    </section>
  );
}

/** A placeholder as high as the plots that replace it, so that nothing moves. */
export function LoadingHistory() {
  return (
    <section aria-label="Loading the history">
      <Title order={2} size="h3" mb="xs">
        History
      </Title>
      <div className={classes["plots"]}>
        {["endpoints", "findings"].map((plot) => (
          <Paper key={plot} withBorder p="md">
            <Text fw={600} mb={4}>
              …
            </Text>
            <Skeleton height={PLOT_HEIGHT} />
          </Paper>
        ))}
      </div>
    </section>
  );
}

/** The range of runs that the plots show. */
function Span({ runs, hasOlder }: { runs: readonly ScanRun[]; hasOlder: boolean }) {
  const [first = null, last = null] = [runs[0]?.createdAt, runs.at(-1)?.createdAt];
  const count = runs.length.toLocaleString(LOCALE);
  if (runs.length === 1 && !hasOlder) return <>One completed run so far</>;
  return (
    <>
      {hasOlder ? `The last ${count} completed runs,` : `All ${count} completed runs,`}{" "}
      <Time at={first} day />
      {!isSameDay(first, last) && (
        <>
          {" to "}
          <Time at={last} day />
        </>
      )}
    </>
  );
}

function Plot(props: {
  label: string;
  field: "endpointCount" | "findingCount";
  color: string;
  runs: readonly ScanRun[];
}) {
  const { label, field, color, runs } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const [, navigate] = useLocation();
  const points = useMemo(
    () => runs.map((run) => ({ at: Date.parse(run.createdAt) / 1000, count: run[field] })),
    [runs, field],
  );
  const shown = (pointed === null ? undefined : runs[pointed]) ?? runs.at(-1);
  const words = describeHistory(
    label,
    runs.map((run) => run[field]),
  );
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb={4} gap="xs">
        <Text fw={600}>{countOf(shown?.[field] ?? 0, label.toLowerCase())}</Text>
        <Text size="sm" c="dimmed">
          <Time at={shown?.createdAt ?? null} />
        </Text>
      </Group>
      <HistoryPlot
        label={words}
        points={points}
        color={color}
        height={PLOT_HEIGHT}
        pointed={pointed}
        onPoint={setPointed}
        onOpen={(index) => navigate(`/scan-runs/${runs[index]?.id}`)}
      />
    </Paper>
  );
}
