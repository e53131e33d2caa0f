import { listBrokenJourneys } from "@waymark/shared/journey-coverage/addresses.ts";
import { getScanGates } from "@waymark/shared/scans/gates/addresses.ts";
import * as addresses from "@waymark/shared/scans/addresses.ts";
import { listScanRunComments } from "@waymark/shared/scans/run-comments/addresses.ts";
import { apiQuery, FIRST_ROWS } from "../lib/api-query.ts";

const keyOf = (scanRunId: string, ...rest: string[]) => ["scan-run", scanRunId, ...rest];

export const scanRunQuery = (scanRunId: string) =>
  apiQuery(keyOf(scanRunId), addresses.getScanRun, { params: { scanRunId } });

/** The run's first endpoints. */
export const endpointsQuery = (scanRunId: string) =>
  apiQuery(keyOf(scanRunId, "endpoints"), addresses.listScanRunEndpoints, {
    params: { scanRunId },
    query: { limit: FIRST_ROWS },
  });

/** @param against another run's id; empty for the previous run */
export const changesQuery = (scanRunId: string, against: string) => {
  const other = against === "" ? "previous" : against;
  return apiQuery(keyOf(scanRunId, "changes", other), addresses.getScanRunChanges, {
    params: { scanRunId },
    query: { against: other },
  });
};

export const brokenJourneysQuery = (scanRunId: string) =>
  apiQuery(keyOf(scanRunId, "broken-journeys"), listBrokenJourneys, { params: { scanRunId } });

/** The gates that the run's client judged it by. */
export const gatesQuery = (scanRunId: string) =>
  apiQuery(keyOf(scanRunId, "gates"), getScanGates, { params: { scanRunId } });

/** The comments on a run. */
export const commentsQuery = (scanRunId: string) =>
  apiQuery(keyOf(scanRunId, "comments"), listScanRunComments, { params: { scanRunId } });
