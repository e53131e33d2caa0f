import type { StoredSnooze } from "@waymark/server/services/snoozes.queries.ts";
import { isAsSnoozed } from "@waymark/shared/services/snoozes/item-event.ts";
import type { ItemEvent, SnoozableKind, Snooze } from "@waymark/shared/services/snoozes/schema.ts";

/** More rows than a list has: to say how many items are not snoozed, all of them must be read. */
const EVERY_ROW = 1_000_000;

/** Divides the lists of the overview into what a person has snoozed and the rest. */
export interface SnoozeSplit {
  /** Returns the most rows that must be read for lists of these kinds. */
  rowsFor: (...kinds: SnoozableKind[]) => number;
  /**
   * Returns the first rows of a list that are shown, and their number.
   *
   * @param count also of rows beyond those that were read
   */
  keep: <Row>(list: { rows: readonly Row[]; count: number; eventOf: (row: Row) => ItemEvent | null }) => {
    rows: Row[];
    count: number;
  };
  /** The snoozes of the items that were found. */
  found: () => Snooze[];
}

/**
 * @param snoozes what the person has snoozed and whose time is not over
 * @param options.rows the most rows that are shown
 * @param options.isOfSnoozed true shows what is snoozed, and nothing else
 */
export function splitSnoozed(
  snoozes: readonly StoredSnooze[],
  { rows: rowsMax, isOfSnoozed }: { rows: number; isOfSnoozed: boolean },
): SnoozeSplit {
  const byItem = new Map(snoozes.map((snooze) => [`${snooze.kind} ${snooze.subjectId}`, snooze]));
  const kinds = new Set(snoozes.map(({ kind }) => kind));
  const found: Snooze[] = [];
  const isSnoozed = (item: ItemEvent | null): boolean => {
    const snooze = item === null ? undefined : byItem.get(`${item.kind} ${item.subjectId}`);
    if (item === null || snooze === undefined || !isAsSnoozed(item, snooze)) return false;
    found.push({ kind: item.kind, subjectId: item.subjectId, until: snooze.until });
    return true;
  };
  return {
    rowsFor: (...wanted) => (wanted.some((kind) => kinds.has(kind)) ? EVERY_ROW : rowsMax),
    keep: ({ rows, count, eventOf }) => {
      const isOf = rows.map((row) => isSnoozed(eventOf(row)));
      const snoozedCount = isOf.filter(Boolean).length;
      const kept = rows.filter((_, index) => isOf[index] === isOfSnoozed);
      return { rows: kept.slice(0, rowsMax), count: isOfSnoozed ? snoozedCount : count - snoozedCount };
    },
    found: () => found,
  };
}
