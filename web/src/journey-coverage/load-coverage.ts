import {
  type CoveredCriterion,
  type CoveredOperation,
  JourneyCoverage,
} from "@waymark/shared/journey-coverage/schema.ts";
import { callApi } from "../lib/api.ts";
import { type CoverageFilter, coverageQuery } from "./api-queries.ts";

export interface Coverage {
  shares: JourneyCoverage["shares"];
  criteria: CoveredCriterion[];
  operations: CoveredOperation[];
}

/** Loads both lists whole. A list that has ended starts again in each further response, and is ignored there. */
export async function loadCoverage(filter: CoverageFilter, signal: AbortSignal): Promise<Coverage> {
  const { address, parts } = coverageQuery(filter);
  let page = await callApi(address, parts, { signal, read: JourneyCoverage });
  const coverage = { shares: page.shares, criteria: page.criteria, operations: page.operations };
  while (page.criteriaCursor !== undefined || page.operationsCursor !== undefined) {
    const { criteriaCursor, operationsCursor } = page;
    const query = { ...parts.query, criteriaCursor, operationsCursor };
    const next = await callApi(address, { query }, { signal, read: JourneyCoverage });
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
