import { apiKeyQuery, findingsQuery, serviceQuery } from "../lib/api-queries.ts";
import type { ApiQuery } from "../lib/api-query.ts";
import { type FirstQuery, leadingTo, type Opened } from "../lib/first-queries.ts";
import { isKeyShown } from "../lib/is-key-shown.ts";
import { hasPermission } from "../lib/permissions.ts";
import * as queries from "./api-queries.ts";

/**
 * Returns the queries of a run's page: for its header, the verdict, and the open tab. What is refused or empty until the run is
 * completed is asked for again by the page.
 */
export function firstOfScanRun({
  params,
  search,
  session,
}: Opened<{ scanRunId: string }>): readonly FirstQuery[] {
  const { scanRunId } = params;
  const tab = search.get("tab") ?? "";
  const isChanges = tab === "" || tab === "changes";
  const mayRead = hasPermission(session, "endpoints:read");
  const run = leadingTo(
    queries.scanRunQuery(scanRunId),
    ({ status, serviceId, creator, createdByKeyId, gates }) => [
      serviceQuery(serviceId),
      ...(isKeyShown({ creator }, session) ? [apiKeyQuery(createdByKeyId, session)] : []),
      ...(mayRead && status === "completed" && gates !== null ? [queries.gatesQuery(scanRunId)] : []),
    ],
  );
  const ofRun = queries.changesQuery(scanRunId, search.get("against") ?? "");
  // For the tags of what changed.
  const changes = leadingTo(ofRun, ({ verdicts }) =>
    verdicts.length > 0 && isChanges ? [queries.endpointsQuery(scanRunId)] : [],
  );
  const mayReadJourneys = hasPermission(session, "journeys:read");
  // On the other tabs, nothing of a service's first run is asked for: everything in it is new.
  const broken = leadingTo(queries.brokenJourneysQuery(scanRunId), ({ against }) =>
    mayRead && !isChanges && (against !== null || search.has("against")) ? [changes] : [],
  );
  return [
    run,
    ...(mayRead && (isChanges || !mayReadJourneys) ? [changes] : []),
    ...(mayReadJourneys ? [broken] : []),
    ...(mayRead && tab === "endpoints" ? [ofCompleted(queries.endpointsQuery(scanRunId))] : []),
    ...(mayRead && (tab === "endpoints" || tab === "findings")
      ? [ofCompleted(findingsQuery(scanRunId))]
      : []),
  ];
}

/** Marks a list that is empty until the run is completed. */
function ofCompleted(query: ApiQuery): FirstQuery {
  return { ...query, isEmptyAtFirst: true };
}
