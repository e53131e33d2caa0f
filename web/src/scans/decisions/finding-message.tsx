import { Group } from "@mantine/core";
import type { RunFinding } from "@waymark/shared/scans/schema.ts";
import { DecisionBadge, ExceededBadge } from "./decision-badge.tsx";

/** The message of a finding in a row, which opens it, and whether it is decided. */
export function FindingMessage(props: {
  finding: Pick<RunFinding, "message" | "decision" | "exceededDecision">;
  onOpen: () => void;
}) {
  const { message, decision, exceededDecision } = props.finding;
  const opening = (
    <button type="button" className="opens" onClick={props.onOpen} aria-haspopup="dialog">
      {message.trim() === "" ? "(no message)" : message}
    </button>
  );
  if (decision === null && exceededDecision === null) return opening;
  return (
    <Group gap="xs" wrap="nowrap">
      <DecisionBadge decision={decision} />
      <ExceededBadge decision={exceededDecision} />
      {opening}
    </Group>
  );
}
