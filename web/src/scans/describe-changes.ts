import { breakingChanges } from "@waymark/shared/scans/breaking-changes.ts";
import type { NormalizedEndpoint, ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { isHeld } from "../lib/is-held.ts";
import { LOCALE } from "../lib/locale.ts";

const when = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

/** A run in a list of runs: its time, specification and counts. */
export function labelOf(run: ScanRun): string {
  const spec = [run.spec.title, run.spec.version].filter(Boolean).join(" ");
  const counts = `${countOf(run.endpointCount, "endpoints")}, ${countOf(run.findingCount, "findings")}`;
  const held = isHeld(run) ? "not promoted" : "";
  return [when.format(new Date(run.createdAt)), spec, counts, held].filter(Boolean).join(" · ");
}

/** Describes the number of changes, for the name of the other run to follow: `2 changes since`. */
export function describeTotal(total: number): string {
  return total === 0 ? "No change was found since" : `${countOf(total, "changes")} since`;
}

/** Describes the number of changes that break clients; empty if none does. */
export function describeBreaking({ endpoints }: Pick<ScanChanges, "endpoints">): string {
  const { removed, renamed } = breakingChanges(endpoints);
  const breaking = removed.length + renamed.length;
  return breaking === 0
    ? ""
    : `${breaking.toLocaleString(LOCALE)} of them ${breaking === 1 ? "breaks" : "break"} clients.`;
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
