import { type RefObject, useLayoutEffect, useRef } from "react";
import { FIRST_ROW_INDEX } from "./use-row-keys.ts";

/**
 * Moves the focus to the row of the finding that a dialog showed last, when it closes: with its keys, the dialog may have gone on from the row
 * that opened it. If that has left the list, also later, with the focus, the row in its place gets it. A row that is not in view
 * gets none.
 *
 * @param shown the address of the finding in the dialog; empty while it is closed
 * @param options.rows the rows of the list
 * @param options.findRow returns the index of the row; -1 if there is none
 */
export function useFocusAfterDialog(
  shown: string,
  {
    table,
    rows,
    findRow,
  }: { table: RefObject<HTMLElement | null>; rows: readonly unknown[]; findRow: () => number },
): void {
  const last = useRef("");
  const isFocused = useRef(false);
  const focusRow = () => {
    const row = `[role=row][aria-rowindex="${findRow() + FIRST_ROW_INDEX}"]`;
    table.current?.querySelector<HTMLElement>(`${row} [aria-haspopup=dialog]`)?.focus();
  };
  const focus = useRef(focusRow);
  focus.current = focusRow;
  // Effects of the dialog that return the focus to where it was come first.
  useLayoutEffect(() => {
    const before = last.current;
    last.current = shown;
    isFocused.current = shown === "" && before !== "";
    if (isFocused.current) focus.current();
  }, [shown]);
  // A list that is loaded again may lose the row that has the focus, such as that of a finding that was decided.
  useLayoutEffect(() => {
    if (!isFocused.current || document.activeElement !== document.body) return;
    isFocused.current = false;
    focus.current();
  }, [rows]);
}
