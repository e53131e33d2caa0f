import { Table, type TableProps } from "@mantine/core";
import { useDensity } from "./use-density.ts";
import classes from "./responsive-table.module.css";

/** A table whose rows become cards on a phone. There, each cell's `data-label` is shown as its heading. */
export function ResponsiveTable(props: TableProps) {
  const [density] = useDensity();
  return (
    <Table
      verticalSpacing={density === "compact" ? 2 : "xs"}
      highlightOnHover
      // Links need 4.5:1 on it, and have 4.49:1 on Mantine's grey.
      highlightOnHoverColor="var(--stripe)"
      className={classes["table"] ?? ""}
      {...props}
    />
  );
}
