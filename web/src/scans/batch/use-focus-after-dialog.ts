import { type RefObject, useLayoutEffect, useRef } from "react";
import { FIRST_ROW_INDEX } from "./use-row-keys.ts";

/**
 * Moves the focus to the row of the finding that a dialog showed last, when it closes: with its keys, the dialog may have gone on from the row
 * that opened it. A row that is not in view, or has left the list, gets no focus.
 *
 * @param shown the address of the finding in the dialog; empty while it is closed
 */
export function useFocusAfterDialog(
  shown: string,
  { table, indexOf }: { table: RefObject<HTMLElement | null>; indexOf: (address: string) => number },
): void {
  const last = useRef("");
  const find = useRef(indexOf);
  find.current = indexOf;
  // Effects of the dialog that return the focus to where it was come first.
  useLayoutEffect(() => {
    const before = last.current;
    last.current = shown;
    if (shown !== "" || before === "") return;
    const row = `[role=row][aria-rowindex="${find.current(before) + FIRST_ROW_INDEX}"]`;
    table.current?.querySelector<HTMLElement>(`${row} [aria-haspopup=dialog]`)?.focus();
  }, [shown, table]);
}
