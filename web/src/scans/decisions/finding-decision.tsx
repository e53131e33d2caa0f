import { Button, Group, Stack, Text } from "@mantine/core";
import type { DecisionKind, DecisionOnFinding } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { byWhom } from "../../lib/by-whom.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { useKeyActions } from "../../lib/single-keys.ts";
import { Time } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { DecideForm } from "./decide-form.tsx";
import { DecisionBadge } from "./decision-badge.tsx";
import { describeTarget } from "./describe-decision.ts";
import { useRevoke } from "./use-decisions.ts";

/** The decision about a finding with who made it and why; for an open one, the way to decide. */
export function FindingDecision(props: {
  /** Undefined until it is known. */
  serviceId: string | undefined;
  finding: NormalizedFinding;
  decision: DecisionOnFinding;
  exceededDecision: DecisionOnFinding;
  /** The decision that is offered first; null while nobody decides. */
  deciding: DecisionKind | null;
  onDeciding: (kind: DecisionKind | null) => void;
  /** False where several findings are shown, so that a key would mean all of them. */
  hasKeys?: boolean;
}) {
  const { serviceId, finding, decision, exceededDecision, deciding, onDeciding, hasKeys = true } = props;
  const mayDecide = useMay("findings:decide");
  const revoke = useRevoke();
  const current = decision ?? exceededDecision;
  const undo = current === null || !mayDecide || !hasKeys ? {} : { u: () => revoke.mutate(current.id) };
  useKeyActions(undo, { dialogs: 1 });
  if (deciding !== null && mayDecide && serviceId !== undefined)
    return (
      // Another key chooses another decision.
      <DecideForm
        key={deciding}
        serviceId={serviceId}
        finding={finding}
        kind={deciding}
        onClose={() => onDeciding(null)}
      />
    );
  return (
    <Stack gap="xs">
      {decision !== null && <Decided decision={decision} />}
      {exceededDecision !== null && (
        <>
          <Text>
            This finding is open again: it was decided as {exceededDecision.maxSeverity}, and is{" "}
            {finding.severity} now.
          </Text>
          <Decided decision={exceededDecision} />
        </>
      )}
      {mayDecide && (
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            aria-keyshortcuts={hasKeys ? "d" : undefined}
            onClick={() => onDeciding("accepted_risk")}
          >
            {current === null ? "Decide" : "Decide again"}
          </Button>
          {current !== null && (
            <Button
              variant="default"
              size="xs"
              aria-keyshortcuts={hasKeys ? "u" : undefined}
              loading={revoke.isPending}
              onClick={() => revoke.mutate(current.id)}
            >
              Revoke
            </Button>
          )}
        </Group>
      )}
      {revoke.error !== null && <RequestError title="Nothing was revoked" error={revoke.error} />}
      {!mayDecide && decision === null && (
        <Text size="sm" c="dimmed">
          Your key lacks findings:decide, so it can't decide about this finding.
        </Text>
      )}
    </Stack>
  );
}

function Decided({ decision }: { decision: NonNullable<DecisionOnFinding> }) {
  const name = useKeyNames()?.get(decision.decidedBy);
  return (
    <Stack gap="xs" role="group" aria-label="Decision">
      <Group gap="xs">
        <DecisionBadge decision={decision} />
        <Text size="sm">until {decision.until}</Text>
      </Group>
      <Text className="wraps">{decision.reason}</Text>
      <Text size="sm" c="dimmed">
        For {describeTarget(decision)}, up to {decision.maxSeverity}. Decided <Time at={decision.decidedAt} />
        {byWhom(decision.decider, name)}.
      </Text>
    </Stack>
  );
}
