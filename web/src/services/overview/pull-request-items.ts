import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScannedPullRequest } from "@waymark/shared/services/pull-requests/schema.ts";
import { describeFailed } from "../../lib/describe-gates.ts";
import { SEVERITY_COLORS } from "../../lib/severities.ts";
import { describeComparison } from "../../lib/verdicts/describe-comparison.ts";
import { CALM, type InboxItem } from "./inbox-items.ts";

/** Returns a pull request as a row of the overview: what it would break, and the gates that failed. */
export function itemOfPullRequest(pullRequest: ScannedPullRequest): InboxItem {
  const { serviceId, serviceName, ownerTeam, scanRunId, source, scannedAt, failedGates, comparison } =
    pullRequest;
  const failed = describeFailed(failedGates);
  return {
    id: `pullRequests ${scanRunId}`,
    badge: badgeOf(comparison, failedGates),
    text: [describeComparison(comparison).headline, failed].filter(Boolean).join("; "),
    href: `/scan-runs/${scanRunId}`,
    service: { id: serviceId, name: serviceName, ownerTeam },
    source,
    at: scannedAt,
    event: null,
  };
}

/** Says in two words what is known. Only a whole comparison whose gates passed can say that nothing breaks. */
function badgeOf(
  { status, counts, notCompared }: Comparison,
  failedGates: readonly string[],
): InboxItem["badge"] {
  if (status === "pending") return { text: "comparing", color: SEVERITY_COLORS.info };
  if (counts === null) return { text: "not compared", color: SEVERITY_COLORS.medium };
  if (counts.breaking > 0) return { text: "breaks clients", color: SEVERITY_COLORS.critical };
  if (counts.maybe > 0) return { text: "may break", color: SEVERITY_COLORS.medium };
  if (notCompared.length > 0) return { text: "partly compared", color: SEVERITY_COLORS.medium };
  if (failedGates.length > 0) return { text: "gate failed", color: SEVERITY_COLORS.critical };
  return { text: "breaks nothing", color: CALM };
}
