import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { useJourneyRun } from "../../run/use-journey-run.ts";
import { isFinal } from "../../run-status.tsx";

/**
 * Shows the progress of a run that was started in build mode. The cards show its steps, and its own page everything.
 */
export function StartedRun({ runId }: { runId: string }) {
  const { data: run } = useJourneyRun(runId);
  return (
    <Text size="sm" role="status">
      {run === undefined
        ? "The run was started. "
        : `Run of version ${run.version} in ${run.environmentName}: ${describe(run)}. `}
      <Anchor component={Link} href={`/journey-runs/${runId}`} underline="always">
        Open the run
      </Anchor>
    </Text>
  );
}

function describe(run: {
  status: Parameters<typeof isFinal>[0]["status"];
  currentStep: string | null;
}): string {
  if (run.status === "queued") return "waiting for a worker";
  if (isFinal(run) || run.currentStep === null) return run.status;
  return `running ${run.currentStep}`;
}
