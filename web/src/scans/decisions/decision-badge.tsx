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

/** Shows that an open finding is more severe than when it was decided. Renders nothing without such a decision. */
export function ExceededBadge({ decision }: { decision: DecisionOnFinding }) {
  if (decision === null) return null;
  const { kind, maxSeverity, reason } = decision;
  const title = `Open again: more severe than when it was decided (${DECISION_WORDS[kind]}: ${reason})`;
  return (
    <Badge color="gray.7" variant="outline" radius="sm" size="sm" title={title}>
      was {maxSeverity}
    </Badge>
  );
}
