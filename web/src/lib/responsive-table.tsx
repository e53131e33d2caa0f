import type { ComponentProps } from "react";
import classes from "./responsive-table.module.css";
import { useDensity } from "./use-density.ts";

/** A table whose rows become cards on a phone. There, each cell's `data-label` is shown as its heading. */
export function ResponsiveTable(props: ComponentProps<"table">) {
  const [density] = useDensity();
  return <table className={classes["table"]} data-density={density} {...props} />;
}
