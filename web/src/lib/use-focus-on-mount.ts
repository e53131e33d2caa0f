import { type RefObject, useEffect, useRef } from "react";

/** Moves the focus to the element when it appears, for what replaces the element that had the focus. */
export function useFocusOnMount<Element extends HTMLElement>(): RefObject<Element | null> {
  const element = useRef<Element>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}
