import type { NormalizedEndpoint, NormalizedFinding, Severity } from "@waymark/shared/scans/schema.ts";
import { SEVERITIES } from "../lib/severity.tsx";

/** An endpoint with the findings that name it. */
export interface EndpointRow {
  ordinal: number;
  endpoint: NormalizedEndpoint;
  findings: readonly NormalizedFinding[];
  /** The most severe of its findings. */
  worst: Severity | undefined;
}

const keyOf = (method: string | null, path: string | null) => `${method ?? ""} ${path ?? ""}`;

/** Links findings to endpoints by method and path. A finding without a method belongs to all of its path. */
export function linkFindings(
  endpoints: readonly NormalizedEndpoint[],
  findings: readonly NormalizedFinding[],
): EndpointRow[] {
  const byPlace = Map.groupBy(findings, (finding) => keyOf(finding.method, finding.path));
  return endpoints.map((endpoint, ordinal) => {
    const own = [
      ...(byPlace.get(keyOf(endpoint.method, endpoint.path)) ?? []),
      ...(byPlace.get(keyOf(null, endpoint.path)) ?? []),
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
}

export function filterEndpoints(rows: readonly EndpointRow[], filter: EndpointFilter): EndpointRow[] {
  const text = filter.text.toLowerCase();
  return rows.filter(({ endpoint, findings }) => {
    if (filter.method !== "" && endpoint.method !== filter.method) return false;
    if (filter.tag !== "" && !endpoint.tags.includes(filter.tag)) return false;
    if (filter.severity !== "" && !findings.some((finding) => finding.severity === filter.severity))
      return false;
    return (
      text === "" ||
      [endpoint.path, endpoint.operationId, endpoint.summary, ...endpoint.tags].some((part) =>
        part?.toLowerCase().includes(text),
      )
    );
  });
}

/** Sorts a copy by `path`, `method` or `findings`, descending with a `-` before; else in submitted order. */
export function sortEndpoints(rows: readonly EndpointRow[], order: string): EndpointRow[] {
  const descending = order.startsWith("-");
  const compare = COMPARISONS[order.replace(/^-/, "")];
  if (compare === undefined) return [...rows];
  return rows.toSorted((a, b) => (descending ? -compare(a, b) : compare(a, b)) || a.ordinal - b.ordinal);
}

const rank = (row: EndpointRow) =>
  row.worst === undefined ? SEVERITIES.length : SEVERITIES.indexOf(row.worst);

const COMPARISONS: Readonly<Record<string, (a: EndpointRow, b: EndpointRow) => number>> = {
  path: (a, b) => a.endpoint.path.localeCompare(b.endpoint.path),
  method: (a, b) => a.endpoint.method.localeCompare(b.endpoint.method),
  findings: (a, b) => rank(a) - rank(b) || b.findings.length - a.findings.length,
};
