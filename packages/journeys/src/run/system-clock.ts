import type { Clock } from "./transport.ts";

interface Wait {
  /** On the monotonic clock. */
  at: number;
  callback: () => void;
}

/** A longer time can't be set: it is waited for in parts. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * All that is waited for, by one timer: nearly every wait is the limit of a request and is taken back long before its end, so
 * the timer of the first is left as it is for those that end later. It keeps the process alive only while something waits.
 */
const waits = new Set<Wait>();
let timer: NodeJS.Timeout | undefined;
let timerAt = Number.POSITIVE_INFINITY;

function setTimer(at: number): void {
  if (timer !== undefined && timerAt <= at) {
    timer.ref();
    return;
  }
  clearTimeout(timer);
  timerAt = at;
  timer = setTimeout(endWaits, Math.min(Math.ceil(at - performance.now()), TIMER_MS_MAX));
}

function endWaits(): void {
  timer = undefined;
  const now = performance.now();
  const due = [...waits].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
  for (const wait of due) if (waits.delete(wait)) wait.callback();
  // A timer may come early by a part of a millisecond: what isn't due is waited for again.
  for (const { at } of waits) setTimer(at);
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const wait = { at: performance.now() + ms, callback };
    waits.add(wait);
    setTimer(wait.at);
    return () => {
      if (waits.delete(wait) && waits.size === 0) timer?.unref();
    };
  },
};
