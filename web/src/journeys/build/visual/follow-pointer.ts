/** The place that a dragged item would move to: before the item of this index, or behind the last one. */
export interface DropPlace {
  gap: number;
  /** The middle between the two items, in pixels from the top of the list. */
  top: number;
}

export interface PointerFollower {
  onOver: (place: DropPlace) => void;
  /** @param gap undefined: the drag was given up */
  onEnd: (gap: number | undefined) => void;
}

/** Near the edges of the window, the page scrolls. The upper one is covered by the page's header. */
const EDGE_PX = { top: 110, bottom: 60 } as const;
const SCROLL_PX = 12;

/** The items of a list, of which `holder` is the parent. */
export function itemsOf(holder: Element): Element[] {
  return [...holder.querySelectorAll(":scope > ol > li")];
}

/**
 * Follows a pointer until it is released, or Escape is pressed. The window is asked, and not the element that the pointer went down
 * on: a change of the text can replace that meanwhile.
 *
 * @returns ends it without a word
 */
export function followPointer(
  holder: Element,
  { pointerId, clientY }: { pointerId: number; clientY: number },
  { onOver, onEnd }: PointerFollower,
): () => void {
  let y = clientY;
  let frame = 0;
  const listeners = new AbortController();
  const stop = () => {
    cancelAnimationFrame(frame);
    listeners.abort();
  };
  const end = (gap?: number) => {
    stop();
    onEnd(gap);
  };
  const options = { signal: listeners.signal };
  const onPointer = (kind: "pointermove" | "pointerup" | "pointercancel", act: (y: number) => void) => {
    const listener = (event: PointerEvent) => {
      if (event.pointerId === pointerId) act(event.clientY);
    };
    globalThis.addEventListener(kind, listener, options);
  };
  onPointer("pointermove", (now) => (y = now));
  onPointer("pointerup", (now) => end(placeAt(holder, now).gap));
  onPointer("pointercancel", () => end());
  globalThis.addEventListener("blur", () => end(), options);
  const giveUp = ({ key }: KeyboardEvent) => {
    if (key === "Escape") end();
  };
  globalThis.addEventListener("keydown", giveUp, options);
  // In each frame: the page scrolls also while the pointer rests.
  const follow = () => {
    if (y < EDGE_PX.top) scrollBy(0, -SCROLL_PX);
    else if (y > innerHeight - EDGE_PX.bottom) scrollBy(0, SCROLL_PX);
    onOver(placeAt(holder, y));
    frame = requestAnimationFrame(follow);
  };
  follow();
  return stop;
}

function placeAt(holder: Element, y: number): DropPlace {
  const boxes = itemsOf(holder).map((item) => item.getBoundingClientRect());
  const { top, bottom } = holder.getBoundingClientRect();
  const gap = boxes.filter((box) => (box.top + box.bottom) / 2 < y).length;
  const above = boxes[gap - 1]?.bottom ?? top;
  const below = boxes[gap]?.top ?? bottom;
  return { gap, top: (above + below) / 2 - top };
}
