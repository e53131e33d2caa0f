import { getJourneyCoverage } from "@waymark/shared/journey-coverage/addresses.ts";
import {
  type CoveredCriterion,
  type CoveredOperation,
  JourneyCoverage,
} from "@waymark/shared/journey-coverage/schema.ts";
import { callApi } from "../lib/api.ts";
import { ITEM_PAGE_LIMIT } from "../lib/load-all.ts";
import { withoutEmpty } from "../lib/without-empty.ts";

/** The conditions of the runs that the API counts. An empty text sets none. */
export interface CoverageFilter {
  serviceId: string;
  environmentId: string;
  origin: string;
  /** A number of days. */
  window: string;
}

export interface Coverage {
  shares: JourneyCoverage["shares"];
  criteria: CoveredCriterion[];
  operations: CoveredOperation[];
}

/** Loads both lists whole. A list that has ended starts again in each further response, and is ignored there. */
export async function loadCoverage(filter: CoverageFilter, signal: AbortSignal): Promise<Coverage> {
  const given = { ...withoutEmpty(filter), limit: ITEM_PAGE_LIMIT };
  let page = await callApi(getJourneyCoverage, { query: given }, { signal, read: JourneyCoverage });
  const coverage = { shares: page.shares, criteria: page.criteria, operations: page.operations };
  while (page.criteriaCursor !== undefined || page.operationsCursor !== undefined) {
    const { criteriaCursor, operationsCursor } = page;
    const query = { ...given, criteriaCursor, operationsCursor };
    const next = await callApi(getJourneyCoverage, { query }, { signal, read: JourneyCoverage });
    if (criteriaCursor !== undefined) coverage.criteria.push(...next.criteria);
    if (operationsCursor !== undefined) coverage.operations.push(...next.operations);
    page = {
      ...next,
      criteriaCursor: criteriaCursor === undefined ? undefined : next.criteriaCursor,
      operationsCursor: operationsCursor === undefined ? undefined : next.operationsCursor,
    };
  }
  return coverage;
}
