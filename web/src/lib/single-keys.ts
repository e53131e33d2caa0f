import { useLocalStorage } from "@mantine/hooks";
import { useEffect, useRef } from "react";

/**
 * Returns the switch of the shortcuts of one key, such as `/`, which the browser stores. WCAG 2.1.4 requires it: people who
 * dictate, or who touch keys by accident, would trigger them unintentionally.
 */
export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useLocalStorage<boolean>({
    key: "waymark-single-keys",
    defaultValue: true,
    getInitialValueInEffect: false,
    deserialize: (text) => text !== "false",
  });
  return [isOn, setOn];
}

/** True if the element uses keys for text. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select");
}

/**
 * Calls the action of a pressed key, such as `j`, unless the focused element uses the key itself, the shortcuts of one key are off, or
 * another dialog is open.
 *
 * @param options.dialogs the number of dialogs that are open where the keys have these actions
 */
export function useKeyActions(
  actions: Readonly<Record<string, () => void>>,
  { dialogs }: { dialogs: 0 | 1 },
): void {
  const [isOn] = useSingleKeys();
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    if (!isOn) return undefined;
    // Counted before anything else gets the key: a dialog that it closes is gone afterwards.
    let openDialogs = 0;
    const countDialogs = () => {
      openDialogs = document.querySelectorAll("[aria-modal=true]").length;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (
        event.defaultPrevented ||
        event.isComposing ||
        ctrlKey ||
        metaKey ||
        altKey ||
        takesText(event.target)
      )
        return;
      const act = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (act === undefined || openDialogs !== dialogs) return;
      event.preventDefault();
      act();
    };
    globalThis.addEventListener("keydown", countDialogs, { capture: true });
    globalThis.addEventListener("keydown", onKeyDown);
    return () => {
      globalThis.removeEventListener("keydown", countDialogs, { capture: true });
      globalThis.removeEventListener("keydown", onKeyDown);
    };
  }, [isOn, dialogs]);
}
