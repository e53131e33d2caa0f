import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef } from "react";
import { SortHeader } from "./sort-header.tsx";
import { sortingOf } from "./sorting.ts";
import { useDensity } from "./use-density.ts";
import { usePrinting } from "./use-printing.ts";
import classes from "./virtual-table.module.css";

export interface Column<Row> {
  id: string;
  label: string;
  /** Stands in the header in the place of the label. */
  header?: ReactNode;
  /** A CSS grid track, such as `6rem` or `minmax(12rem, 2fr)`. */
  width: string;
  /** `open` calls the table's `onOpen`, for a button in the cell. */
  render: (row: Row, open: () => void) => ReactNode;
  /** Columns that can be sorted by. */
  sortable?: boolean;
}

/** The layout of a row on a phone: CSS grid areas named by column id. Columns without an area are hidden. */
export interface PhoneLayout {
  areas: readonly string[];
  columns: string;
}

/** A compact row still has room for a control of 24 pixels. */
const ROW_HEIGHT = { normal: 36, compact: 26 };
const PHONE_LINE_HEIGHT = 26;
const PHONE_GAP = 12;

/** A table that renders only the visible rows, for thousands of rows. It scrolls by itself, also by keyboard. */
export function VirtualTable<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The number of rows once all are loaded. The missing ones already take up their space. */
  total?: number;
  rowKey: (row: Row, index: number) => string | number;
  phone: PhoneLayout;
  /** The current order: a column's id, with a leading `-` for descending; empty for the submitted order. */
  order?: string;
  onOrder?: (order: string) => void;
  onOpen?: (row: Row) => void;
}) {
  const { label, columns, rows, total = rows.length, rowKey, phone, order = "", onOrder, onOpen } = props;
  const isPhone = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const scroller = useRef<HTMLDivElement>(null);
  const isPrinting = usePrinting();
  const [density] = useDensity();
  const rowHeight = isPhone ? phone.areas.length * PHONE_LINE_HEIGHT + PHONE_GAP : ROW_HEIGHT[density];
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  // Before the rows are painted: they would have their new height at their old places.
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight]);
  const areas = isPhone ? phone.areas.join("\n") : "";
  const shown = useMemo(
    () => columns.filter(({ id }) => areas === "" || hasArea(areas, id)),
    [areas, columns],
  );
  const headers = shown.filter((column) => !isPhone || column.sortable === true);
  const template = useMemo(
    () => templateOf(isPhone ? phone.columns : columns.map(({ width }) => width).join(" "), areas),
    [isPhone, phone.columns, columns, areas],
  );
  // The rows keep what they have while the page around the table changes.
  const opened = useRef(onOpen);
  opened.current = onOpen;
  const open = useCallback((row: Row) => opened.current?.(row), []);

  return (
    <div ref={scroller} className={classes["scroller"]} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={total + 1} className={classes["table"]}>
        {headers.length > 0 && (
          <div
            role="row"
            className={isPhone ? classes["phoneHead"] : classes["head"]}
            style={isPhone ? {} : template}
          >
            {headers.map((column) => (
              <ColumnHeader key={column.id} column={column} order={order} onOrder={onOrder} />
            ))}
          </div>
        )}
        <div
          role="rowgroup"
          className={classes["body"]}
          style={isPrinting ? {} : { height: virtual.getTotalSize() }}
        >
          {(isPrinting ? rows.map(unplaced) : virtual.getVirtualItems()).map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <TableRow
                key={rowKey(row, item.index)}
                row={row}
                index={item.index}
                size={item.size}
                start={item.start}
                columns={shown}
                template={template}
                isPhone={isPhone}
                onOpen={open}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const hasArea = (areas: string, id: string) => areas.split(/\s/).includes(id);

/** @param areas a line each; empty for rows of one line */
function templateOf(columns: string, areas: string): CSSProperties {
  const lines = areas.split("\n").map((line) => `"${line}"`);
  return { gridTemplateColumns: columns, ...(areas === "" ? {} : { gridTemplateAreas: lines.join(" ") }) };
}

/** A row and its place in the table. On the screen, visible rows have a place; on paper, all rows follow each other. */
interface PlacedRow {
  index: number;
  size?: number | undefined;
  start?: number | undefined;
}

const unplaced = (_row: unknown, index: number): PlacedRow => ({ index });

interface RowProps<Row> extends PlacedRow {
  row: Row;
  columns: readonly Column<Row>[];
  template: CSSProperties;
  isPhone: boolean;
  onOpen: (row: Row) => void;
}

/** While the table scrolls or the page around it changes, only rows that come into view are rendered. */
function TableRow<Row>({ row, index, size, start, columns, template, isPhone, onOpen }: RowProps<Row>) {
  return useMemo(() => {
    const place = size === undefined ? {} : { height: size, transform: `translateY(${start}px)` };
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        className={classes["row"]}
        data-even={index % 2 === 1 || undefined}
        style={{ ...template, ...place }}
      >
        {columns.map(({ id, render }) => (
          <span key={id} role="cell" className={classes["cell"]} style={isPhone ? { gridArea: id } : {}}>
            {render(row, () => onOpen(row))}
          </span>
        ))}
      </div>
    );
  }, [row, index, size, start, columns, template, isPhone, onOpen]);
}

function ColumnHeader<Row>(props: {
  column: Column<Row>;
  order: string;
  onOrder: ((order: string) => void) | undefined;
}) {
  const { column, order, onOrder } = props;
  if (column.sortable !== true || onOrder === undefined)
    return <span role="columnheader">{column.header ?? column.label}</span>;
  const { sorted, next } = sortingOf(order, column.id);
  return (
    <span role="columnheader" aria-sort={sorted ?? "none"}>
      <SortHeader label={column.label} sorted={sorted} onSort={() => onOrder(next)} />
    </span>
  );
}
