import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import classes from "./virtual-table.module.css";

export interface Column<Row> {
  id: string;
  label: string;
  /** A CSS grid track, such as `6rem` or `minmax(12rem, 2fr)`. */
  width: string;
  render: (row: Row) => ReactNode;
  /** Present on columns that can be sorted by. */
  onSort?: () => void;
  sorted?: "ascending" | "descending" | undefined;
}

const ROW_HEIGHT = 36;

/** A table that draws only the rows in sight: smooth at thousands. It scrolls in itself, by keyboard too. */
export function VirtualTable<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string | number;
}) {
  const { label, columns, rows, rowKey } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const template = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };

  return (
    <div ref={scroller} className={classes["scroller"]} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className={classes["table"]}>
        <div role="row" className={classes["head"]} style={template}>
          {columns.map((column) => (
            <span key={column.id} role="columnheader" aria-sort={column.onSort && (column.sorted ?? "none")}>
              {column.onSort === undefined ? (
                column.label
              ) : (
                <button type="button" className={classes["sort"]} onClick={column.onSort}>
                  {column.label}
                  <span aria-hidden>
                    {{ ascending: " ▲", descending: " ▼", none: "" }[column.sorted ?? "none"]}
                  </span>
                </button>
              )}
            </span>
          ))}
        </div>
        <div role="rowgroup" className={classes["body"]} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={rowKey(row, item.index)}
                role="row"
                aria-rowindex={item.index + 2}
                className={classes["row"]}
                style={{ ...template, height: item.size, transform: `translateY(${item.start}px)` }}
              >
                {columns.map((column) => (
                  <span key={column.id} role="cell" className={classes["cell"]}>
                    {column.render(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
