import type { NormalizedEndpoint, ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { isHeld } from "../lib/is-held.ts";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A run in a list of runs: its time, specification and counts. */
export function labelOf(run: ScanRun): string {
  const spec = [run.spec.title, run.spec.version].filter(Boolean).join(" ");
  const counts = `${countOf(run.endpointCount, "endpoints")}, ${countOf(run.findingCount, "findings")}`;
  const held = isHeld(run) ? "not promoted" : "";
  return [when.format(new Date(run.createdAt)), spec, counts, held].filter(Boolean).join(" · ");
}

export function countChanges({ endpoints, findings }: ScanChanges): number {
  return (
    endpoints.added.length +
    endpoints.removed.length +
    endpoints.changed.length +
    findings.new.length +
    findings.fixed.length +
    findings.severityChanged.length
  );
}

/** The fields that differ between two versions of an endpoint, such as `summary: none → Lists books`. */
export function describeChange(before: NormalizedEndpoint, after: NormalizedEndpoint): string {
  return (["operationId", "summary", "tags"] as const)
    .map((name) => ({ name, old: inWords(before[name]), now: inWords(after[name]) }))
    .filter(({ old, now }) => old !== now)
    .map(({ name, old, now }) => `${name}: ${old} → ${now}`)
    .join("; ");
}

function inWords(value: string | readonly string[] | null): string {
  const text = typeof value === "string" ? value : (value ?? []).join(", ");
  return text === "" ? "none" : text;
}
