import { apiKeyQuery, findingsQuery } from "../lib/api-queries.ts";
import { type FirstQuery, leadingTo, type Opened } from "../lib/first-queries.ts";
import { isKeyShown } from "../lib/is-key-shown.ts";
import { hasPermission } from "../lib/permissions.ts";
import * as queries from "./api-queries.ts";

/**
 * Returns the queries of a run's page: for the part above its tabs, the number of its changes, and the open tab. The content of a
 * run is asked for once it is completed.
 */
export function firstOfScanRun({
  params,
  search,
  session,
}: Opened<{ scanRunId: string }>): readonly FirstQuery[] {
  const { scanRunId } = params;
  const tab = search.get("tab") ?? "";
  const changes = search.has("against") ? [] : [queries.changesQuery(scanRunId, "")];
  const run = leadingTo(queries.scanRunQuery(scanRunId), ({ status, creator, createdByKeyId }) =>
    status === "completed"
      ? [
          ...(isKeyShown({ creator }, session) ? [apiKeyQuery(createdByKeyId, session)] : []),
          ...(tab === "" ? [queries.endpointsQuery(scanRunId)] : []),
          ...(tab === "" || tab === "findings" ? [findingsQuery(scanRunId)] : []),
          ...(tab === "changes" ? changes : []),
        ]
      : [],
  );
  // Refused until the run is completed; then the page asks again.
  const broken = leadingTo(queries.brokenJourneysQuery(scanRunId), ({ against }) =>
    // Everything in a service's first run is new, so the number of its changes is known.
    tab === "changes" || against === null ? [] : changes,
  );
  return [run, ...(hasPermission(session, "journeys:read") ? [broken] : [])];
}
