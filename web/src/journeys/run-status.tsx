import { Badge } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";

type Status = JourneyRun["status"];

const COLORS: Record<Status, string> = {
  queued: "blue.8",
  running: "blue.8",
  passed: "teal.9",
  failed: "red.9",
  error: "red.9",
  aborted: "gray.7",
};

export function RunStatusBadge({ status, size = "md" }: { status: Status; size?: "md" | "lg" }) {
  return (
    <Badge color={COLORS[status]} size={size}>
      {status}
    </Badge>
  );
}

/** True if the run has ended. Nothing changes it any more. */
export function isFinal({ status }: Pick<JourneyRun, "status">): boolean {
  return status !== "queued" && status !== "running";
}
