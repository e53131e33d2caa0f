import { Group } from "@mantine/core";
import type { RunFinding } from "@waymark/shared/scans/schema.ts";
import { DecisionBadge } from "./decision-badge.tsx";

/** The message of a finding in a row, which opens it, and whether it is decided. */
export function FindingMessage(props: {
  finding: Pick<RunFinding, "message" | "decision">;
  onOpen: () => void;
}) {
  const { message, decision } = props.finding;
  const opening = (
    <button type="button" className="opens" onClick={props.onOpen} aria-haspopup="dialog">
      {message.trim() === "" ? "(no message)" : message}
    </button>
  );
  if (decision === null) return opening;
  return (
    <Group gap="xs" wrap="nowrap">
      <DecisionBadge decision={decision} />
      {opening}
    </Group>
  );
}
