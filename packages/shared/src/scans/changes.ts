import type { NormalizedEndpoint, NormalizedFinding, ScanChanges } from "./schema.ts";

export interface ScanContent {
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}

type Changes = Pick<ScanChanges, "endpoints" | "findings">;

interface Named<Item> {
  item: Item;
  /** The fields that identify it. */
  identity: string;
  /** All of its fields. */
  text: string;
}

function nameEndpoint(item: NormalizedEndpoint): Named<NormalizedEndpoint> {
  const identity = operationOf(item);
  return { item, identity, text: identity + JSON.stringify([item.operationId, item.tags, item.summary]) };
}

/** Returns the method and the path of an endpoint or of a finding as one text. */
function operationOf({ method, path }: Pick<NormalizedFinding, "method" | "path">): string {
  return JSON.stringify([method, path]);
}

/** Returns a text that is equal for findings that a comparison takes for the same one. */
export function comparedIdentity({ code, method, path, message }: NormalizedFinding): string {
  return JSON.stringify([code, method, path, message]);
}

function nameFinding(item: NormalizedFinding): Named<NormalizedFinding> {
  const identity = comparedIdentity(item);
  return { item, identity, text: identity + item.severity };
}

/**
 * Compares two contents. Method and path identify an endpoint; code, method, path and message identify a finding.
 * A finding that disappeared is fixed, unless its endpoint is among the removed ones.
 * Duplicates count: fully equal items are matched first, then the others with the same identity in the order of their
 * details. So the result stays the same if common items are removed from both contents.
 */
export function compareScans(before: ScanContent, after: ScanContent): Changes {
  const endpoints = match(before.endpoints.map(nameEndpoint), after.endpoints.map(nameEndpoint));
  const findings = match(before.findings.map(nameFinding), after.findings.map(nameFinding));
  return {
    endpoints,
    findings: {
      new: findings.added,
      ...separateRemoved(findings.removed, endpoints.removed),
      severityChanged: findings.changed,
    },
  };
}

/** Separates findings that disappeared into those whose endpoint disappeared, too, and the others, which are fixed. */
function separateRemoved(
  findings: readonly NormalizedFinding[],
  endpoints: readonly NormalizedEndpoint[],
): Pick<Changes["findings"], "fixed" | "removedWithEndpoint"> {
  const removed = new Set(endpoints.map(operationOf));
  const isRemoved = (finding: NormalizedFinding) => removed.has(operationOf(finding));
  return {
    fixed: findings.filter((finding) => !isRemoved(finding)),
    removedWithEndpoint: findings.filter(isRemoved),
  };
}

/** The multiset difference of two lists, in the order of the first. */
export function difference<Item>(
  items: readonly Item[],
  others: readonly Item[],
  textOf: (item: Item) => string,
): Item[] {
  const counts = new Map<string, number>();
  for (const text of others.map(textOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return items.filter((item) => {
    const text = textOf(item);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

function match<Item>(before: readonly Named<Item>[], after: readonly Named<Item>[]) {
  const textOf = ({ text }: Named<Item>) => text;
  const gone = groupByIdentity(difference(before, after, textOf));
  const come = groupByIdentity(difference(after, before, textOf));
  const added: Item[] = [];
  const removed: Item[] = [];
  const changed: { before: Item; after: Item }[] = [];
  for (const [identity, items] of come) {
    const old = gone.get(identity) ?? [];
    items.forEach((item, index) => {
      const same = old[index];
      if (same === undefined) added.push(item);
      else changed.push({ before: same, after: item });
    });
  }
  for (const [identity, items] of gone) removed.push(...items.slice(come.get(identity)?.length ?? 0));
  return { added, removed, changed };
}

/** Groups in the order of their first items; items of a group are in the order of their details. */
function groupByIdentity<Item>(items: readonly Named<Item>[]): Map<string, Item[]> {
  // Map.groupBy is not in Node 20, which the command supports.
  const groups = new Map<string, Named<Item>[]>();
  for (const named of items) {
    const group = groups.get(named.identity);
    if (group === undefined) groups.set(named.identity, [named]);
    else group.push(named);
  }
  const sorted = (group: readonly Named<Item>[]) =>
    group.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ item }) => item);
  return new Map([...groups].map(([identity, group]) => [identity, sorted(group)]));
}
