import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { SEVERITIES, SEVERITY_COLORS } from "../lib/severity.tsx";

/** Findings by severity; the same numbers stand in its label for who can't see it. */
export default function SeverityChart(props: {
  counts: NonNullable<ScanRun["findingsBySeverity"]>;
  height: number;
}) {
  const { counts, height } = props;
  const data = SEVERITIES.map((severity) => ({
    severity,
    findings: counts[severity],
    color: SEVERITY_COLORS[severity],
  }));
  const label = `Findings by severity: ${data.map((row) => `${row.findings} ${row.severity}`).join(", ")}`;
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        data={data}
        dataKey="severity"
        orientation="vertical"
        yAxisProps={{ width: 70 }}
        series={[{ name: "findings", color: "teal.8" }]}
        withBarValueLabel
        barProps={{ isAnimationActive: false }}
        gridAxis="none"
      />
    </div>
  );
}
