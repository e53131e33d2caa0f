import { type KeyboardEvent, type RefObject, useRef } from "react";
import { useKeyActions } from "../../lib/single-keys.ts";
import type { Selection } from "./selection.ts";

const CHECKBOX = "[data-select-row]";

/**
 * Selects rows by keyboard: `x` selects the focused row, arrows go to the next one, with Shift they select on the way, and Enter opens it.
 *
 * @returns properties of the element around the table
 */
export function useRowKeys<Row>(
  rows: readonly Row[],
  { selection, onOpen }: { selection: Selection<Row>; onOpen: (row: Row) => void },
): { ref: RefObject<HTMLDivElement | null>; onKeyDown: (event: KeyboardEvent) => void } {
  const ref = useRef<HTMLDivElement>(null);
  const toggleFocused = () => {
    const focused =
      ref.current?.contains(document.activeElement) === true ? rowOf(document.activeElement) : null;
    const checkbox = (focused ?? ref.current)?.querySelector<HTMLElement>(CHECKBOX);
    const row = rows[indexOf(checkbox)];
    if (checkbox === null || checkbox === undefined || row === undefined) return;
    checkbox.focus();
    selection.set(row, !selection.has(row));
  };
  const isAny = selection.rows.length > 0;
  useKeyActions({ x: toggleFocused, ...(isAny && { Escape: () => selection.setAll([]) }) }, { dialogs: 0 });
  const onKeyDown = (event: KeyboardEvent) => {
    const checkbox = event.target instanceof Element ? event.target.closest(CHECKBOX) : null;
    const index = indexOf(checkbox);
    const row = rows[index];
    if (row === undefined) return;
    if (event.key === "Enter") onOpen(row);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.setAll(rows);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp")
      moveTo(index + (event.key === "ArrowDown" ? 1 : -1), { from: row, isSelecting: event.shiftKey });
    else return;
    event.preventDefault();
  };
  const moveTo = (index: number, { from, isSelecting }: { from: Row; isSelecting: boolean }) => {
    const next = rows[index];
    if (next === undefined) return;
    ref.current
      ?.querySelector<HTMLElement>(`[role=row][aria-rowindex="${index + FIRST_ROW_INDEX}"] ${CHECKBOX}`)
      ?.focus();
    if (!isSelecting) return;
    if (selection.has(from)) selection.set(next, true);
    else selection.setAll([...selection.rows, from, next]);
  };
  return { ref, onKeyDown };
}

/** The first row of a table is its head. */
export const FIRST_ROW_INDEX = 2;

const rowOf = (element: Element | null | undefined) => element?.closest("[role=row][aria-rowindex]") ?? null;

/** Returns the index of the row of an element; -1 if it is in none. */
function indexOf(element: Element | null | undefined): number {
  const index = rowOf(element)?.getAttribute("aria-rowindex");
  return index === null || index === undefined ? -1 : Number(index) - FIRST_ROW_INDEX;
}
