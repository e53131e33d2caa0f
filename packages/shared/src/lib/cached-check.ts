/**
 * Makes a check cheap to ask for: callers at the same time share one run of it, and its answer serves everybody for
 * `freshMs` after it came. A check that throws is run again by the next caller.
 */
export function createCachedCheck<T>(
  check: () => Promise<T>,
  { freshMs, now = Date.now }: { freshMs: number; now?: () => number },
): () => Promise<T> {
  let current: { answer: Promise<T>; staleAt: number } | undefined;
  return () => {
    if (current !== undefined && now() < current.staleAt) return current.answer;
    const answer = check();
    const running = { answer, staleAt: Infinity };
    current = running;
    answer.then(
      () => (running.staleAt = now() + freshMs),
      () => (running.staleAt = 0),
    );
    return answer;
  };
}
