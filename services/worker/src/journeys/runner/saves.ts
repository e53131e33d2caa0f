/** Which checkpoints are stored. */
export interface Saves {
  /** The number of the next checkpoint. */
  next: () => number;
  saved: (checkpoint: number) => void;
  /** Resolves when the last checkpoint is stored. */
  allSaved: () => Promise<void>;
}

/** @param ask tells the parent not to wait any longer */
export function createSaves(ask: () => void): Saves {
  let last = 0;
  let stored = 0;
  let waiting: (() => void)[] = [];
  return {
    next: () => ++last,
    saved(checkpoint) {
      stored = Math.max(stored, checkpoint);
      if (stored < last) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    allSaved: () => {
      if (stored >= last) return Promise.resolve();
      const all = new Promise<void>((resolve) => waiting.push(resolve));
      ask();
      return all;
    },
  };
}
