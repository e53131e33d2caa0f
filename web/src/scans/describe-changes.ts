import { breakingChanges, separateRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import type { NormalizedEndpoint, ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { isHeld } from "../lib/is-held.ts";
import { compareText } from "../lib/sorting.ts";
import { LOCALE } from "../lib/locale.ts";

const when = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

/** A run in a list of runs: its time, specification and counts. */
export function labelOf(run: ScanRun): string {
  const spec = [run.spec.title, run.spec.version].filter(Boolean).join(" ");
  const counts = `${countOf(run.endpointCount, "endpoints")}, ${countOf(run.findingCount, "findings")}`;
  const held = isHeld(run) ? "not promoted" : "";
  return [when.format(new Date(run.createdAt)), spec, counts, held].filter(Boolean).join(" · ");
}

/** An endpoint whose path parameters were renamed is one change. */
export function countChanges({ endpoints, findings }: ScanChanges): number {
  const { added, removed, changed, parametersRenamed } = separateRenamedParameters(endpoints);
  const lists = [added, removed, changed, parametersRenamed, ...Object.values(findings)];
  return lists.reduce((sum, list) => sum + list.length, 0);
}

/** The changes of endpoints and findings, or those of the description if these are more. */
export function countAllChanges(changes: ScanChanges): number {
  const { breaking = 0, maybe = 0, safe = 0 } = changes.comparison.counts ?? {};
  return Math.max(countChanges(changes), breaking + maybe + safe);
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

const NO_TAG = "";

/** Items by the first tag of their endpoint, tags in the order of the alphabet, those without a tag last. */
export function groupByTag<Item>(
  items: readonly Item[],
  endpointOf: (item: Item) => NormalizedEndpoint,
): { tag: string; items: Item[] }[] {
  const groups = Map.groupBy(items, (item) => endpointOf(item).tags[0] ?? NO_TAG);
  return [...groups]
    .map(([tag, ofTag]) => ({ tag, items: ofTag }))
    .toSorted((a, b) => Number(a.tag === NO_TAG) - Number(b.tag === NO_TAG) || compareText(a.tag, b.tag));
}
