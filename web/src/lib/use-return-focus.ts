import { useLayoutEffect } from "react";

/** When the dialog closes, returns the focus to the element that had it before. */
export function useReturnFocus(): void {
  // Layout effects run before the dialog takes the focus, and after a dialog that it replaces has returned it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before !== document.body) before.focus({ preventScroll: true });
    };
  }, []);
}
