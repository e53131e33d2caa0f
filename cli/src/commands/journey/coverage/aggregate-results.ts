import type { AcceptanceResult } from "@waymark/journeys/result/result.ts";
import type { CoveredResult } from "./covered-result.ts";

export interface CoveredCriterion {
  journey: string;
  id: string;
  text: string;
  severity: string;
  status: AcceptanceResult["status"];
}

export interface CoveredOperation {
  source: string;
  method: string;
  path: string;
  operationId?: string;
  calls: number;
  statuses: number[];
  asserted: boolean;
}

/** The aggregated results. */
export interface CoverageSummary {
  runs: { total: number; passed: number };
  acceptance: CoveredCriterion[];
  operations: CoveredOperation[];
  /** Calls to operations that no source describes. */
  notInInventory: { method: string; url: string; calls: number }[];
}

/** The precedence if runs have different results for a criterion: a failure counts more than a proof. */
const ORDER: AcceptanceResult["status"][] = ["unproven", "notRun", "proven", "failed"];

/** Aggregates results. Operations of complete descriptions count as not called, unless a run called them. */
export function aggregateResults(
  results: readonly CoveredResult[],
  inventory: readonly Pick<CoveredOperation, "source" | "method" | "path" | "operationId">[],
): CoverageSummary {
  const criteria = new Map<string, CoveredCriterion>();
  const operations = new Map<string, CoveredOperation>();
  const outside = new Map<string, { method: string; url: string; calls: number }>();
  for (const operation of inventory)
    addOperation(operations, { ...operation, calls: 0, statuses: [], asserted: false });
  for (const { journey, acceptance, coverage } of results) {
    for (const { id, text, severity, status } of acceptance) {
      const key = JSON.stringify([journey.id, id]);
      const known = criteria.get(key)?.status;
      const wins = known === undefined || ORDER.indexOf(status) > ORDER.indexOf(known);
      criteria.set(key, { journey: journey.id, id, text, severity, status: wins ? status : known });
    }
    for (const operation of coverage.operations) addOperation(operations, operation);
    for (const { method, url, calls } of coverage.notInInventory) {
      const key = `${method} ${url}`;
      outside.set(key, { method, url, calls: calls + (outside.get(key)?.calls ?? 0) });
    }
  }
  return {
    runs: { total: results.length, passed: results.filter(({ status }) => status === "passed").length },
    acceptance: [...criteria.values()],
    operations: [...operations.values()].toSorted((a, b) => compare(keyOf(a), keyOf(b))),
    notInInventory: [...outside.values()],
  };
}

function addOperation(
  operations: Map<string, CoveredOperation>,
  {
    source,
    method,
    path,
    operationId,
    calls,
    statuses,
    asserted,
  }: Omit<CoveredOperation, "operationId"> & {
    operationId?: string | undefined;
  },
): void {
  const key = keyOf({ source, method, path });
  const known = operations.get(key);
  const name = operationId ?? known?.operationId;
  operations.set(key, {
    source,
    method,
    path,
    ...(name === undefined ? {} : { operationId: name }),
    calls: calls + (known?.calls ?? 0),
    statuses: [...new Set([...statuses, ...(known?.statuses ?? [])])].toSorted((a, b) => a - b),
    asserted: asserted || known?.asserted === true,
  });
}

function keyOf({ source, method, path }: Pick<CoveredOperation, "source" | "method" | "path">): string {
  return `${source} ${path} ${method}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
