import { type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { type DropPlace, followPointer, itemsOf } from "./follow-pointer.ts";
import classes from "./drag-list.module.css";

interface Drag {
  from: number;
  pointerId: number;
  clientY: number;
}

/**
 * The handle for dragging an item with a pointer. It is hidden from screen readers: they have buttons and the keyboard.
 */
export function Grip() {
  return (
    <span className={classes["grip"]} data-grip aria-hidden>
      ⠿
    </span>
  );
}

/** An `ol` whose items a pointer can drag to another place by their grips. */
export function DragList(props: {
  /** The names of its items, in their order. */
  names: readonly string[];
  onDrop: (from: number, gap: number) => void;
  children: ReactNode;
}) {
  const { names, onDrop, children } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const [place, setPlace] = useState<DropPlace>();
  const drop = useRef(onDrop);
  drop.current = onDrop;

  // A layout effect, because a pointer that moves or is released before the next painting would be missed.
  useLayoutEffect(() => {
    if (drag === undefined || holder.current === null) return undefined;
    return followPointer(holder.current, drag, {
      onOver: (next) => setPlace((last) => (last?.gap === next.gap && last.top === next.top ? last : next)),
      onEnd: (gap) => {
        setDrag(undefined);
        setPlace(undefined);
        if (gap !== undefined) drop.current(drag.from, gap);
      },
    });
  }, [drag]);

  const start = ({ button, target, currentTarget, pointerId, clientY }: PointerEvent<HTMLDivElement>) => {
    if (button !== 0 || !(target instanceof Element)) return;
    const item = target.closest("[data-grip]")?.closest("li");
    const from = itemsOf(currentTarget).findIndex((one) => one === item);
    if (from !== -1) setDrag({ from, pointerId, clientY });
  };
  return (
    <div ref={holder} className={classes["list"]} data-dragging={drag !== undefined} onPointerDown={start}>
      {children}
      {drag !== undefined && place !== undefined && (
        <div className={classes["place"]} style={{ top: place.top }} data-gap={place.gap} aria-hidden>
          <span>{names[drag.from]}</span>
        </div>
      )}
    </div>
  );
}
