import { type RefObject, useLayoutEffect, useRef } from "react";

/** Moves the focus to an element that appears in place of the one that had the focus. */
export function useFocusOnMount<Element extends HTMLElement>(): RefObject<Element | null> {
  const element = useRef<Element>(null);
  // The focus moves before the page is painted, because a key that is pressed until then would have no effect.
  useLayoutEffect(() => element.current?.focus(), []);
  return element;
}
