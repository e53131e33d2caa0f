import type { NormalizedEndpoint, NormalizedFinding, Severity } from "@waymark/shared/scans/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { SEVERITIES } from "../lib/severities.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { belongsToOperation } from "../lib/operation.ts";

/** An endpoint with the findings that name it. */
export interface EndpointRow {
  ordinal: number;
  endpoint: NormalizedEndpoint;
  findings: readonly NormalizedFinding[];
  /** The most severe of its findings. */
  worst: Severity | undefined;
}

const keyOf = (method: string | null, path: string | null) => `${method ?? ""} ${path ?? ""}`;

/** Links findings to endpoints by method and path. A finding without a method belongs to every endpoint of its path. */
export function linkFindings(
  endpoints: readonly NormalizedEndpoint[],
  findings: readonly NormalizedFinding[],
): EndpointRow[] {
  const byOperation = Map.groupBy(findings, (finding) => keyOf(finding.method, finding.path));
  return endpoints.map((endpoint, ordinal) => {
    const own = [
      ...(byOperation.get(keyOf(endpoint.method, endpoint.path)) ?? []),
      ...(byOperation.get(keyOf(null, endpoint.path)) ?? []),
    ];
    const worst = SEVERITIES.find((severity) => own.some((finding) => finding.severity === severity));
    return { ordinal, endpoint, findings: own, worst };
  });
}

export interface EndpointFilter {
  text: string;
  method: string;
  tag: string;
  severity: string;
  /** A single operation, as `operationOf` writes it; empty for all. */
  operation: string;
}

export function filterEndpoints(rows: readonly EndpointRow[], filter: EndpointFilter): EndpointRow[] {
  return rows.filter(({ endpoint, findings }) => {
    if (filter.operation !== "" && !belongsToOperation(filter.operation, endpoint.method, endpoint.path))
      return false;
    if (filter.method !== "" && endpoint.method !== filter.method) return false;
    if (filter.tag !== "" && !endpoint.tags.includes(filter.tag)) return false;
    if (filter.severity !== "" && !findings.some((finding) => finding.severity === filter.severity))
      return false;
    return matchesText(filter.text, [
      endpoint.path,
      endpoint.operationId,
      endpoint.summary,
      ...endpoint.tags,
    ]);
  });
}

/** Sorts a copy by `path`, `method` or `findings`; a leading `-` means descending. Otherwise keeps the submitted order. */
export function sortEndpoints(rows: readonly EndpointRow[], order: string): EndpointRow[] {
  return sortRows(rows, order, COMPARISONS);
}

const rank = (row: EndpointRow) =>
  row.worst === undefined ? SEVERITIES.length : SEVERITIES.indexOf(row.worst);

const COMPARISONS = {
  path: (a: EndpointRow, b: EndpointRow) => compareText(a.endpoint.path, b.endpoint.path),
  method: (a: EndpointRow, b: EndpointRow) => compareText(a.endpoint.method, b.endpoint.method),
  findings: (a: EndpointRow, b: EndpointRow) => rank(a) - rank(b) || b.findings.length - a.findings.length,
};
