import { Alert, Anchor } from "@mantine/core";
import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { describeComparison } from "../lib/verdicts/describe-comparison.ts";

/** Says above the tabs of a run that it breaks clients, and leads to the verdicts. */
export function BreaksClients({ run, comparison }: { run: ScanRun; comparison: Comparison }) {
  const { headline, detail } = describeComparison(comparison);
  return (
    <Alert color="red" title={headline} role="status">
      {detail}{" "}
      <Anchor component={Link} href={`/scan-runs/${run.id}?tab=changes`} underline="always">
        Show the changes
      </Anchor>
    </Alert>
  );
}
