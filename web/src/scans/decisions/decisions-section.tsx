import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { DecisionTable } from "./decision-table.tsx";
import { isIdle } from "./describe-decision.ts";
import { NO_DECISION_FILTER } from "./api-queries.ts";
import { useDecisions } from "./use-decisions.ts";

/** The decisions for a service, or all: also those that have ended, or match nothing any more. Renders nothing if there are none. */
export function DecisionsSection({ serviceId }: { serviceId: string }) {
  const decisions = useDecisions({ ...NO_DECISION_FILTER, serviceId });
  if (decisions.isLoadingError)
    return <ErrorAlert error={decisions.error} onRetry={() => void decisions.refetch()} />;
  if (decisions.data === undefined || decisions.data.length === 0) return null;
  const idle = decisions.data.filter((each) => each.state === "expired" || isIdle(each)).length;
  const address = serviceId === "" ? "/decisions" : `/decisions?serviceId=${serviceId}`;
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
      <Anchor component={Link} href={address} size="sm">
        Decisions about findings and changes
      </Anchor>
    </details>
  );
}
