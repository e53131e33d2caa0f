import { Badge } from "@mantine/core";
import type { DecisionOnFinding } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { DECISION_WORDS } from "./describe-decision.ts";

/** Shows that a finding is decided, with the reason as its title. Renders nothing for an open one. */
export function DecisionBadge({ decision }: { decision: DecisionOnFinding }) {
  if (decision === null) return null;
  const { kind, reason, until } = decision;
  return (
    <Badge color="gray.7" radius="sm" size="sm" title={`${reason} (until ${until})`}>
      {DECISION_WORDS[kind]}
    </Badge>
  );
}
