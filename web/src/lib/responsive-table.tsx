import { Table, type TableProps } from "@mantine/core";
import classes from "./responsive-table.module.css";

/** A table whose rows become cards on a phone: cells with a `data-label` say there what they are. */
export function ResponsiveTable(props: TableProps) {
  return <Table verticalSpacing="xs" highlightOnHover className={classes["table"] ?? ""} {...props} />;
}
