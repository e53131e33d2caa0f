import classes from "./sort-header.module.css";

type Sorted = "ascending" | "descending" | undefined;

/** A column's header that sorts by it. Its cell carries `aria-sort`. */
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

/** What `order` (`name`, `-name` or nothing) means for one column, and the next order after a click on it. */
export function sortingOf(order: string, name: string): { sorted: Sorted; next: string } {
  if (order === name) return { sorted: "ascending", next: `-${name}` };
  if (order === `-${name}`) return { sorted: "descending", next: "" };
  return { sorted: undefined, next: name };
}

/** Sorts a copy by one of the comparisons, descending with a `-` before its name; else leaves the order as it is. */
export function sortRows<Row>(
  rows: readonly Row[],
  order: string,
  comparisons: Readonly<Record<string, (a: Row, b: Row) => number>>,
): Row[] {
  const compare = comparisons[order.replace(/^-/, "")];
  if (compare === undefined) return [...rows];
  return rows.toSorted(order.startsWith("-") ? (a, b) => -compare(a, b) : compare);
}

// Intl's own comparison is many times faster made once than `localeCompare` is per call.
const collator = new Intl.Collator(undefined, { numeric: true });
export const compareText = (a: string, b: string): number => collator.compare(a, b);
