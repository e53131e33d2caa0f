import type { TextHistory } from "./text-history.ts";

/** Holds the text that all views show. Views subscribe, and change it by functions of `text-history.ts`. */
export interface TextStore {
  get: () => TextHistory;
  update: (change: (history: TextHistory) => TextHistory) => void;
  /** @returns ends the subscription */
  subscribe: (listener: () => void) => () => void;
}

export function createTextStore(first: TextHistory): TextStore {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    update: (change) => {
      const next = change(current);
      if (next === current) return;
      current = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
