import { type RefObject, useLayoutEffect, useRef } from "react";
import { FIRST_ROW_INDEX } from "./use-row-keys.ts";

/**
 * Moves the focus to the row of the finding that a dialog showed last, when it closes: with its keys, the dialog may have gone on from the row
 * that opened it. If that has left the list, the row in its place
 * gets the focus. A row that is not in view gets none.
 *
 * @param shown the address of the finding in the dialog; empty while it is closed
 * @param options.findRow returns the index of the row; -1 if there is none
 */
export function useFocusAfterDialog(
  shown: string,
  { table, findRow }: { table: RefObject<HTMLElement | null>; findRow: () => number },
): void {
  const last = useRef("");
  const find = useRef(findRow);
  find.current = findRow;
  // Effects of the dialog that return the focus to where it was come first.
  useLayoutEffect(() => {
    const before = last.current;
    last.current = shown;
    if (shown !== "" || before === "") return;
    const row = `[role=row][aria-rowindex="${find.current() + FIRST_ROW_INDEX}"]`;
    table.current?.querySelector<HTMLElement>(`${row} [aria-haspopup=dialog]`)?.focus();
  }, [shown, table]);
}
