import { Badge, Button, Code } from "@mantine/core";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { byWhom } from "../../lib/by-whom.ts";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { Time } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { DECISION_WORDS } from "./describe-decision.ts";
import { useDecisions, useRevoke } from "./use-decisions.ts";

/** The decisions for a service, or all: also those that have ended, or match nothing any more. Renders nothing if there are none. */
export function DecisionsSection({ serviceId }: { serviceId: string }) {
  const decisions = useDecisions(serviceId);
  if (decisions.isLoadingError)
    return <ErrorAlert error={decisions.error} onRetry={() => void decisions.refetch()} />;
  if (decisions.data === undefined || decisions.data.length === 0) return null;
  const idle = decisions.data.filter((each) => each.state === "expired" || isIdle(each)).length;
  const more = decisions.hasNextPage ? " or more" : "";
  return (
    <details>
      <summary>
        {countOf(decisions.data.length, "decisions")}
        {more}
        {idle > 0 && `, ${idle} ended or without findings`}
      </summary>
      <DecisionTable decisions={decisions.data} />
      <LoadMore pages={decisions} label="Load older decisions" />
    </details>
  );
}

function DecisionTable({ decisions }: { decisions: readonly FindingDecision[] }) {
  const mayDecide = useMay("findings:decide");
  const names = useKeyNames();
  const revoke = useRevoke();
  return (
    <>
      {revoke.error !== null && <RequestError title="Nothing was revoked" error={revoke.error} />}
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Rule</th>
            <th>For</th>
            <th>Decision</th>
            <th>Reason</th>
            <th>Findings now</th>
            <th>Until</th>
            <th>Decided</th>
            <th>
              <span className="visually-hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {decisions.map((decision) => (
            <tr key={decision.id}>
              <td className="breaks">
                <Code>{decision.code}</Code>
              </td>
              <td data-label="For" data-wide className="breaks">
                {targetOf(decision)}
              </td>
              <td data-label="Decision">
                {DECISION_WORDS[decision.kind]} up to {decision.maxSeverity}
              </td>
              <td data-label="Reason" data-wide className="breaks">
                {decision.reason}
              </td>
              <td data-label="Findings now">
                {isIdle(decision) ? "none any more" : decision.findingCount}
                {decision.exceededCount > 0 && `, ${decision.exceededCount} more severe and open`}
              </td>
              <td data-label="Until">
                {decision.until}{" "}
                {decision.state === "expired" && (
                  <Badge color="gray.7" size="sm">
                    ended
                  </Badge>
                )}
              </td>
              <td data-label="Decided">
                <Time at={decision.decidedAt} />
                {byWhom(decision.decider, names?.get(decision.decidedBy))}
              </td>
              <td>
                {mayDecide && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Revoke the decision about ${decision.code}`}
                    loading={revoke.isPending && revoke.variables === decision.id}
                    onClick={() => revoke.mutate(decision.id)}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </ResponsiveTable>
    </>
  );
}

/** True for a decision that matches no finding of a current run. */
function isIdle({ findingCount, exceededCount }: FindingDecision): boolean {
  return findingCount + exceededCount === 0;
}

function targetOf({ serviceName, finding }: FindingDecision): string {
  if (serviceName === null) return "every service";
  if (finding === null) return `every finding in ${serviceName}`;
  const place = [finding.method, finding.path].filter((part) => part !== null).join(" ");
  return `${serviceName}${place === "" ? "" : `, ${place}`}: ${finding.message}`;
}
