import { monotonicMs } from "./messages.ts";

/** In this time before the end of its lease, a run sends nothing until the lease is extended. */
const MARGIN_MS = 3_000;

export interface LeaseClock {
  extend: (endsAt: number) => void;
  /** Resolves when a request may be sent. */
  maySend: () => Promise<void>;
  end: () => void;
}

/**
 * Watches the lease from within the process that sends, so that it also holds where its parent has stopped. `onLost` must end
 * everything that is under way: another worker may have the run.
 */
export function createLeaseClock(firstEnd: number, onLost: () => void): LeaseClock {
  let endsAt = firstEnd;
  let timer: NodeJS.Timeout;
  let waiting: (() => void)[] = [];
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        if (monotonicMs() >= endsAt) onLost();
        else watch();
      },
      Math.max(0, endsAt - monotonicMs()),
    );
  };
  watch();
  const isSafe = () => monotonicMs() < endsAt - MARGIN_MS;
  return {
    extend(next) {
      // A lease that has ended is lost, also where the news of its extension came late.
      if (monotonicMs() >= endsAt) return onLost();
      endsAt = Math.max(endsAt, next);
      watch();
      if (!isSafe()) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    maySend: () => {
      if (isSafe()) return Promise.resolve();
      if (monotonicMs() >= endsAt) onLost();
      return new Promise((resolve) => waiting.push(resolve));
    },
    end: () => clearTimeout(timer),
  };
}
