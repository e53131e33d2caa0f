import { Anchor, Code, Drawer, Group, Stack, Text } from "@mantine/core";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Fact, Facts } from "../lib/facts.tsx";
import { SeverityBadge } from "../lib/severity.tsx";
import { Time, TimeAgo } from "../lib/time.tsx";
import { useKeyActions } from "../lib/single-keys.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { DueDate } from "./due-date.tsx";
import { FindingDecision } from "./decisions/finding-decision.tsx";
import { Assignee } from "./finding-work/assignee.tsx";
import { Comments } from "./finding-work/comments.tsx";
import { describeFinding, placeOf } from "./describe-finding.ts";
import { operationOf } from "../lib/operation.ts";
import { useFindingDetails } from "./use-scan-run.ts";

interface FindingDialogProps {
  scanRunId: string;
  finding: NormalizedFinding;
  /** The index of the finding in the run's list. */
  index: number;
  /** The service of the finding; undefined until it is known. */
  serviceId: string | undefined;
  /** The service's name, on pages of several services. */
  serviceName?: string | undefined;
  /** Opens the finding that is so many places further in the list. */
  onMove?: (by: 1 | -1) => void;
  onClose: () => void;
}

/** One finding with its whole text. Its address is a link to it. */
export function FindingDialog(props: FindingDialogProps) {
  const { scanRunId, finding, index, serviceId, serviceName, onMove, onClose } = props;
  const { code, severity, message } = finding;
  const details = useFindingDetails(scanRunId, index);
  const [deciding, setDeciding] = useState<DecisionKind | null>(null);
  const moves = onMove === undefined ? {} : { j: () => onMove(1), k: () => onMove(-1) };
  const decideAs = (kind: DecisionKind) => () => setDeciding(kind);
  const decides = {
    d: decideAs("accepted_risk"),
    a: decideAs("accepted_risk"),
    f: decideAs("false_positive"),
    w: decideAs("wont_fix"),
  };
  useKeyActions({ ...moves, ...decides }, { dialogs: 1 });
  useReturnFocus();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Finding"
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Group gap="sm">
          <SeverityBadge severity={severity} />
          <Code className="breaks">{code}</Code>
        </Group>
        <Text className="wraps">{message}</Text>
        <Facts>
          {serviceName !== undefined && serviceId !== undefined && (
            <Fact name="Service">
              <Anchor component={Link} href={`/services/${serviceId}`} className="breaks">
                {serviceName}
              </Anchor>
            </Fact>
          )}
          <Fact name="Place">
            <PlaceLink scanRunId={scanRunId} finding={finding} />
          </Fact>
          <Fact name="First seen">
            {details.data === undefined ? (
              "–"
            ) : (
              <span>
                <TimeAgo at={details.data.firstSeenAt} /> (<Time at={details.data.firstSeenAt} />)
              </span>
            )}
          </Fact>
          {details.data !== undefined && details.data.dueOn !== null && (
            <Fact name="Due">
              <span>
                <DueDate of={details.data} /> (UTC)
              </span>
            </Fact>
          )}
          <Fact name="Rule">
            <RuleLink code={code} documentationUrl={details.data?.documentationUrl ?? null} />
          </Fact>
        </Facts>
        {details.isLoadingError && (
          <ErrorAlert error={details.error} onRetry={() => void details.refetch()} />
        )}
        {details.data !== undefined && (
          <FindingDecision
            serviceId={serviceId}
            finding={finding}
            decision={details.data.finding.decision}
            exceededDecision={details.data.finding.exceededDecision}
            deciding={deciding}
            onDeciding={setDeciding}
          />
        )}
        {details.data !== undefined && serviceId !== undefined && (
          <>
            <Assignee of={{ serviceId, fingerprint: details.data.finding.fingerprint }} finding={finding} />
            <Comments
              key={details.data.finding.fingerprint}
              finding={{ serviceId, fingerprint: details.data.finding.fingerprint }}
            />
          </>
        )}
        <Group>
          <CopyTextButton value={describeFinding(finding)} label="Copy the finding" />
          <CopyTextButton value={location.href} label="Copy the link" />
        </Group>
      </Stack>
    </Drawer>
  );
}

function PlaceLink({ scanRunId, finding }: { scanRunId: string; finding: NormalizedFinding }) {
  const { method, path } = finding;
  if (path === null) return placeOf(finding);
  const search = new URLSearchParams({ tab: "findings", of: operationOf(method, path) });
  return (
    <Anchor component={Link} href={`/scan-runs/${scanRunId}?${search}`}>
      {placeOf(finding)}
    </Anchor>
  );
}

function RuleLink({ code, documentationUrl }: { code: string; documentationUrl: string | null }) {
  if (documentationUrl === null) return code;
  return (
    <Anchor href={documentationUrl} target="_blank" rel="noreferrer">
      {code} (documentation)
    </Anchor>
  );
}
