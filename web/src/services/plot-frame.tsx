import type { PointerEvent, ReactNode } from "react";
import { SIDE } from "./stacked-areas.ts";
import classes from "./plot-frame.module.css";
import { LOCALE } from "../lib/locale.ts";

/**
 * A plot with its axes: counts from zero to `edge`, and times below. Its children are SVG shapes in a square of SIDE units, which
 * is stretched to the plot.
 *
 * @param props.label describes the plot for screen readers
 * @param props.height of all, in pixels
 * @param props.pointed where the pointer is, from 0 to 1; null: nowhere
 * @param props.onPoint called with that when the pointer moves
 * @param props.onOpen called with that for a click
 */
export function PlotFrame(props: {
  label: string;
  height: number;
  edge: number;
  times: readonly string[];
  pointed: number | null;
  onPoint: (share: number | null) => void;
  onOpen?: (share: number) => void;
  children: ReactNode;
}) {
  const { label, height, edge, times, pointed, onPoint, onOpen, children } = props;
  return (
    <div className={classes["plot"]} style={{ height }}>
      <div className={classes["counts"]} aria-hidden>
        <span>{edge.toLocaleString(LOCALE)}</span>
        <span>{(edge / 2).toLocaleString(LOCALE)}</span>
        <span>0</span>
      </div>
      <svg
        viewBox={`0 0 ${SIDE} ${SIDE}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        data-opens={onOpen !== undefined || undefined}
        onPointerMove={(event) => onPoint(shareOf(event))}
        onPointerLeave={() => onPoint(null)}
        onClick={(event) => onOpen?.(shareOf(event))}
      >
        <path className={classes["grid"]} d={`M0 0H${SIDE}M0 ${SIDE / 2}H${SIDE}M0 ${SIDE}H${SIDE}`} />
        {children}
        {pointed !== null && <path className={classes["cursor"]} d={`M${pointed * SIDE} 0V${SIDE}`} />}
      </svg>
      <div className={classes["times"]} aria-hidden>
        {times.map((time, index) => (
          <span key={index}>{time}</span>
        ))}
      </div>
    </div>
  );
}

type Pointed = Pick<PointerEvent<SVGSVGElement>, "clientX" | "currentTarget">;

function shareOf({ clientX, currentTarget }: Pointed): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(Math.max((clientX - left) / width, 0), 1);
}
