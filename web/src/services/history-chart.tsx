import "@mantine/charts/styles.css";
import { LineChart } from "@mantine/charts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";

const day = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** Endpoints and findings over a service's runs, the oldest first. */
export default function HistoryChart({ runs, height }: { runs: readonly ScanRun[]; height: number }) {
  const data = runs.map((run) => ({
    at: day.format(new Date(run.createdAt)),
    endpoints: run.endpointCount,
    findings: run.findingCount,
  }));
  const first = data[0];
  const last = data.at(-1);
  const label = `Over ${data.length} runs: from ${first?.endpoints} to ${last?.endpoints} endpoints, from ${first?.findings} to ${last?.findings} findings`;
  return (
    <div role="img" aria-label={label}>
      <LineChart
        h={height}
        data={data}
        dataKey="at"
        series={[
          { name: "endpoints", label: "Endpoints", color: "teal.7" },
          { name: "findings", label: "Findings", color: "orange.7" },
        ]}
        withLegend
        curveType="linear"
        lineProps={{ isAnimationActive: false }}
      />
    </div>
  );
}
