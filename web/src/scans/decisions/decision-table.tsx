import { Badge, Button, Code } from "@mantine/core";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { byWhom } from "../../lib/by-whom.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { Time } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { DECISION_WORDS, isIdle } from "./describe-decision.ts";
import { useRevoke } from "./use-decisions.ts";

/** A table of decisions about findings, which can be revoked. */
export function DecisionTable({ decisions }: { decisions: readonly FindingDecision[] }) {
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
              <td data-label="Until" className="whole">
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

function targetOf({ serviceName, finding }: FindingDecision): string {
  if (serviceName === null) return "every service";
  if (finding === null) return `every finding in ${serviceName}`;
  const place = [finding.method, finding.path].filter((part) => part !== null).join(" ");
  return `${serviceName}${place === "" ? "" : `, ${place}`}: ${finding.message}`;
}
