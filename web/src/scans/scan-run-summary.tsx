import { Code, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { lazy, type ReactNode, Suspense } from "react";
import { Time } from "../lib/time.tsx";
import classes from "./scan-run-summary.module.css";

// The chart library is heavier than the rest of the page: it comes after it.
const SeverityChart = lazy(() => import("./severity-chart.tsx"));
const CHART_HEIGHT = 170;

export function ScanRunSummary({ run }: { run: ScanRun }) {
  const { spec } = run;
  return (
    <div className={classes["grid"]}>
      <Paper withBorder p="md">
        <dl className={classes["facts"]}>
          <Fact name="Specification">
            {[spec.title, spec.version].filter(Boolean).join(" ") || "untitled"}
          </Fact>
          <Fact name="Spec hash">
            <Code className="breaks">{spec.hash}</Code>
          </Fact>
          <Fact name="Submitted">
            <Time at={run.createdAt} />
          </Fact>
          <Fact name="Stored">
            <Time at={run.completedAt} />
          </Fact>
          <Fact name="Submitted by key">
            <Code className="breaks">{run.createdByKeyId}</Code>
          </Fact>
          <Fact name="Scan run">
            <Code className="breaks">{run.id}</Code>
          </Fact>
        </dl>
      </Paper>
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Group gap="xl">
            <Count value={run.endpointCount} label="endpoints" />
            <Count value={run.findingCount} label="findings" />
          </Group>
          {run.findingsBySeverity === null || run.findingCount === 0 ? (
            <Text c="dimmed" h={CHART_HEIGHT}>
              {run.status === "completed" ? "No findings." : "Findings are counted when the run is stored."}
            </Text>
          ) : (
            <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
              <SeverityChart counts={run.findingsBySeverity} height={CHART_HEIGHT} />
            </Suspense>
          )}
        </Stack>
      </Paper>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="breaks">{children}</dd>
    </>
  );
}

function Count({ value, label }: { value: number; label: string }) {
  return (
    <div>
      <Text size="xl" fw={700} component="span">
        {value.toLocaleString()}
      </Text>{" "}
      <Text component="span">{label}</Text>
    </div>
  );
}
