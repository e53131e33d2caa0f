import type { ArcPart } from "./arcs.ts";
import classes from "./arc-parts.module.css";

/** The arcs beside a step. The step says the same in words, so they are hidden from screen readers. */
export function ArcParts({ parts }: { parts: readonly ArcPart[] }) {
  return parts.map(({ kind, lane, shape, isTarget }, at) => (
    <span
      // Parts have no state.
      // oxlint-disable-next-line react/no-array-index-key
      key={at}
      aria-hidden
      className={classes["part"]}
      data-kind={kind}
      data-shape={shape}
      data-target={isTarget}
      style={{ ["--lane" as string]: lane }}
    />
  ));
}
