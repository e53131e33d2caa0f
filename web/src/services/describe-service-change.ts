import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
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
  const words = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return words.length === 0 ? "The description changed" : words.join(", ");
}

/** The run's comparison with the promoted run before it. */
export function comparisonOf({ scanRunId, against }: ServiceChange): string {
  return `/scan-runs/${scanRunId}?${new URLSearchParams({ tab: "changes", ...(against === null ? {} : { against }) })}`;
}

/** Says in a few words whether a change breaks clients. Without a comparison of descriptions, endpoints that were removed or renamed count. */
export function describeEffect({ comparison, breaking }: { comparison: Comparison; breaking: number }): {
  tone: "breaks" | "maybe" | "none";
  words: string;
} {
  const { status, counts } = comparison;
  if (status === "compared" && counts !== null) {
    const approved = counts.approved > 0 ? `, ${counts.approved} approved` : "";
    if (counts.breaking > 0)
      return {
        tone: "breaks",
        words: `${countOf(counts.breaking, "changes")} ${counts.breaking === 1 ? "breaks" : "break"} clients${approved}`,
      };
    if (counts.maybe > 0)
      return { tone: "maybe", words: `${countOf(counts.maybe, "changes")} may break clients${approved}` };
    return comparison.notCompared.length > 0
      ? { tone: "none", words: "no break found in the parts that were compared" }
      : { tone: "none", words: "breaks no client" };
  }
  if (breaking > 0) return { tone: "breaks", words: `${countOf(breaking, "changes")} breaking clients` };
  return {
    tone: "none",
    words: status === "pending" ? "the descriptions are being compared" : "descriptions not compared",
  };
}
