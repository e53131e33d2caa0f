import type { FindingInService } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { findingFingerprint } from "./finding-fingerprint.ts";

/**
 * Returns the findings of a list with their fingerprints, one for each service and fingerprint, in an order that two requests share: rows
 * that both change are locked in this order, so that neither waits for the other.
 *
 * @param join makes one of two findings with the same fingerprint
 */
export function distinctFindings<Item extends FindingInService>(
  items: readonly Item[],
  join: (known: Item, next: Item) => Item,
): (Item & { fingerprint: string })[] {
  const found = new Map<string, Item & { fingerprint: string }>();
  for (const item of items) {
    const serviceId = item.serviceId.toLowerCase();
    const fingerprint = findingFingerprint({ ...item.finding, code: item.code });
    const key = `${serviceId} ${fingerprint}`;
    const known = found.get(key);
    found.set(key, { ...(known === undefined ? item : join(known, item)), serviceId, fingerprint });
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}
