import { useEffect } from "react";
import { takesText, useSingleKeys } from "../lib/single-keys.ts";

/** An action that a key triggers on every page. */
export type Shortcut = "goTo" | "search" | "help";

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/**
 * Returns the shortcut of a key: Ctrl-K or Command-K; outside of text fields also `/` and `?`, in any keyboard layout.
 */
export function shortcutOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Pressed,
  { singleKeys }: { singleKeys: boolean },
): Shortcut | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return key.toLowerCase() === "k" && !shiftKey ? "goTo" : undefined;
  if (!singleKeys) return undefined;
  return key === "/" ? "search" : key === "?" ? "help" : undefined;
}

/** Listens on every page, unless the focused element uses the key itself or a dialog is open. */
export function useShortcuts(onShortcut: (shortcut: Shortcut) => void): void {
  const [isOn] = useSingleKeys();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const shortcut = shortcutOf(event, { singleKeys: isOn && !takesText(event.target) });
      if (shortcut === undefined) return;
      event.preventDefault();
      // No shortcut leaves a dialog: it may show something that is shown only once, such as a new key.
      if (document.querySelector("[aria-modal=true]") === null) onShortcut(shortcut);
    };
    globalThis.addEventListener("keydown", onKeyDown);
    return () => globalThis.removeEventListener("keydown", onKeyDown);
  }, [isOn, onShortcut]);
}

/** Moves the focus to the page's field to search. @returns false if the page has none */
export function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("#main input[data-search]");
  field?.focus();
  field?.select();
  return field !== null;
}
