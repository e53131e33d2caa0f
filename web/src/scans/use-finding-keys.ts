import { useRef } from "react";
import { useKeyActions } from "../lib/single-keys.ts";
import type { UrlDialog } from "../lib/use-url-state.ts";

/**
 * Opens the findings of a list one after the other with `j` and `k`, and returns what these keys do, for the dialog. When it is closed, they
 * go on from the finding that it showed last.
 * @param shown.opened the index of the row that the dialog shows; -1 if it is not among the rows
 */
export function useFindingKeys<Row>(
  rows: readonly Row[],
  { opened, dialog, addressOf }: { opened: number; dialog: UrlDialog; addressOf: (row: Row) => string },
): (by: 1 | -1) => void {
  const place = useRef(0);
  const last = useRef("");
  if (opened !== -1) place.current = opened;
  if (dialog.value !== "") last.current = dialog.value;
  const move = (by: 1 | -1) => {
    if (dialog.value === "") {
      const before = rows.findIndex((row) => addressOf(row) === last.current);
      const next = rows[before === -1 ? 0 : before + by];
      if (next !== undefined) dialog.open(addressOf(next));
      return;
    }
    // A finding that left the list, such as an open one that was decided, has the next one in its place.
    const next = rows[place.current + (opened === -1 && by === 1 ? 0 : by)];
    if (next !== undefined) dialog.replace(addressOf(next));
  };
  useKeyActions({ j: () => move(1), k: () => move(-1) }, { dialogs: 0 });
  return move;
}
