import { Table, type TableProps } from "@mantine/core";
import classes from "./responsive-table.module.css";

/** A table whose rows become cards on a phone. There, each cell's `data-label` is shown as its heading. */
export function ResponsiveTable(props: TableProps) {
  return <Table verticalSpacing="xs" highlightOnHover className={classes["table"] ?? ""} {...props} />;
}
