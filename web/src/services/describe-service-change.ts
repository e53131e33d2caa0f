import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import { countOf } from "../lib/count-of.ts";

/** Describes a change, such as `−3 endpoints, 1 endpoint changed, +2 findings`. */
export function describeServiceChange({ against, endpoints, findings }: ServiceChange): string {
  if (against === null)
    return `First scan: ${countOf(endpoints.added, "endpoints")}, ${countOf(findings.new, "findings")}`;
  const gone = findings.fixed + findings.removedWithEndpoint;
  const parts: [count: number, words: string][] = [
    [endpoints.removed, `−${countOf(endpoints.removed, "endpoints")}`],
    [endpoints.added, `+${countOf(endpoints.added, "endpoints")}`],
    [endpoints.changed, `${countOf(endpoints.changed, "endpoints")} changed`],
    [findings.new, `+${countOf(findings.new, "findings")}`],
    [gone, `−${countOf(gone, "findings")}`],
    [findings.severityChanged, `severity of ${countOf(findings.severityChanged, "findings")} changed`],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([, words]) => words)
    .join(", ");
}

/** The run's comparison with the promoted run before it. */
export function comparisonOf({ scanRunId, against }: ServiceChange): string {
  return `/scan-runs/${scanRunId}?${new URLSearchParams({ tab: "changes", ...(against === null ? {} : { against }) })}`;
}
