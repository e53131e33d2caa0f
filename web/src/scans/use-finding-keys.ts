import { useRef } from "react";
import { useKeyActions } from "../lib/single-keys.ts";
import type { UrlDialog } from "../lib/use-url-state.ts";
import { type LastShown, nextInList } from "./next-in-list.ts";

/**
 * Opens the findings of a list one after the other with `j` and `k`, and returns what these keys do, for the dialog. When it is closed, they
 * go on from the finding that it showed last, or from its place if it has left the list.
 *
 * @param options.list a text that is equal for the same filters: in another list, a finding has no place yet
 */
export function useFindingKeys<Row>(
  rows: readonly Row[],
  options: {
    list: string;
    dialog: UrlDialog;
    addressOf: (row: Row) => string;
    /** Returns -1 for a finding that is not among the rows. */
    indexOf: (address: string) => number;
  },
): { move: (by: 1 | -1) => void; lastShown: () => LastShown } {
  const { list, dialog, addressOf, indexOf } = options;
  const last = useRef({ list, address: "", place: NOWHERE });
  if (last.current.list !== list) last.current = { ...last.current, list, place: NOWHERE };
  if (dialog.value !== "" && dialog.value !== last.current.address)
    last.current = { list, address: dialog.value, place: NOWHERE };
  const index = last.current.address === "" ? -1 : indexOf(last.current.address);
  if (index !== -1) last.current.place = index;
  const lastShown = () => ({ index, place: last.current.place });
  const move = (by: 1 | -1) => {
    const next = rows[nextInList(lastShown(), by)];
    if (next === undefined) return;
    if (dialog.value === "") dialog.open(addressOf(next));
    else dialog.replace(addressOf(next));
  };
  useKeyActions({ j: () => move(1), k: () => move(-1) }, { dialogs: 0 });
  return { move, lastShown };
}

const NOWHERE: number | null = null;
