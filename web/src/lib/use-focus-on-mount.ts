import { type RefObject, useLayoutEffect, useRef } from "react";

/** Moves the focus to the element when it appears, for what replaces the element that had the focus. */
export function useFocusOnMount<Element extends HTMLElement>(): RefObject<Element | null> {
  const element = useRef<Element>(null);
  // Before the page is painted: a key that is pressed until then would go nowhere.
  useLayoutEffect(() => element.current?.focus(), []);
  return element;
}
