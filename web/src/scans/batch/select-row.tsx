import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { useEffect, useRef } from "react";
import { countOf } from "../../lib/count-of.ts";
import classes from "./select-row.module.css";
import { type Selection, useRowSelection } from "./selection.ts";

/** Selects a row of a table. With Shift, it selects those between it and the last one. */
export function SelectRow({ row }: { row: CurrentFinding }) {
  const { has, set } = useRowSelection();
  return (
    <label className={classes["select"]}>
      <input
        type="checkbox"
        data-select-row
        aria-label={`Select: ${row.message}`}
        checked={has(row)}
        onClick={(event) => set(row, event.currentTarget.checked, event.shiftKey)}
        // The click selects: it knows whether Shift is pressed.
        onChange={() => undefined}
      />
    </label>
  );
}

/** Selects all rows that are loaded, or none. */
export function SelectAll<Row>({ rows, selection }: { rows: readonly Row[]; selection: Selection<Row> }) {
  const input = useRef<HTMLInputElement>(null);
  const count = selection.rows.length;
  const isSome = count > 0 && count < rows.length;
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = isSome;
  }, [isSome]);
  return (
    <label className={classes["select"]}>
      <input
        type="checkbox"
        ref={input}
        aria-label={`Select all: ${countOf(rows.length, "findings")}`}
        checked={count > 0 && !isSome}
        onChange={() => selection.setAll(count > 0 ? [] : rows)}
      />
    </label>
  );
}
