import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { createContext, useContext, useRef, useState } from "react";

/** Rows of a list that something is done to at once. */
export interface Selection<Row> {
  /** A text that is equal for the same filters. */
  list: string;
  /** The selected rows that the list has now, in its order: what somebody does not see is not changed. */
  rows: readonly Row[];
  has: (row: Row) => boolean;
  /** Selects a row or not, or with `isRange` all rows from the last one that was changed. */
  set: (row: Row, isSelected: boolean, isRange?: boolean) => void;
  /** Selects the first rows of a list, at most as many as one request may change. */
  setAll: (rows: readonly Row[]) => void;
}

/**
 * Keeps a selection of rows.
 *
 * @param options.list a text that is equal for the same filters: rows that were selected in another list are not
 */
export function useSelection<Row>(
  rows: readonly Row[],
  { list, addressOf }: { list: string; addressOf: (row: Row) => string },
): Selection<Row> {
  const [kept, setKept] = useState<{ list: string; addresses: ReadonlySet<string> }>({
    list,
    addresses: NONE,
  });
  const anchor = useRef<string>("");
  const addresses = kept.list === list ? kept.addresses : NONE;
  const keep = (next: ReadonlySet<string>) => setKept({ list, addresses: next });
  const selected = rows.filter((row) => addresses.has(addressOf(row)));
  return {
    list,
    rows: selected,
    has: (row) => addresses.has(addressOf(row)),
    set: (row, isSelected, isRange = false) => {
      const from = rows.findIndex((each) => addressOf(each) === anchor.current);
      const to = rows.indexOf(row);
      const [first, last] = from === -1 || !isRange ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      // Without those that have left the list.
      const next = new Set(selected.map(addressOf));
      for (const each of rows.slice(first, last + 1)) {
        if (isSelected) next.add(addressOf(each));
        else next.delete(addressOf(each));
      }
      anchor.current = addressOf(row);
      keep(next);
    },
    setAll: (all) => keep(new Set(all.slice(0, DECISION_LIMITS.perRequestMax).map(addressOf))),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** The parts of a selection that a row's checkbox needs. */
export type RowSelection = Pick<Selection<CurrentFinding>, "has" | "set">;

/** The selection of the table around a checkbox. The rows stay as they are while it changes, and only their checkboxes are rendered. */
export const SelectionContext = createContext<RowSelection | null>(null);

export function useRowSelection(): RowSelection {
  const selection = useContext(SelectionContext);
  if (selection === null) throw new Error("a checkbox is outside of a table with a selection");
  return selection;
}
