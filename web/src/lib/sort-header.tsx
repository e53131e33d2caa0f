import classes from "./sort-header.module.css";
import type { Sorted } from "./sorting.ts";

/** A column header that sorts the table. The surrounding cell has `aria-sort`. */
export function SortHeader({ label, sorted, onSort }: { label: string; sorted: Sorted; onSort: () => void }) {
  return (
    <button type="button" className={classes["sort"]} onClick={onSort}>
      {label}
      <span aria-hidden className={classes["mark"]}>
        {{ ascending: "▲", descending: "▼", none: "" }[sorted ?? "none"]}
      </span>
    </button>
  );
}
