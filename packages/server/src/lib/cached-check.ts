/**
 * Caches a check: concurrent callers share one run, and its result is reused for `freshMs`. If the check throws, callers get
 * its error for `failedMs`; the next one runs it again.
 */
export function createCachedCheck<T>(
  check: () => Promise<T>,
  { freshMs, failedMs = 0, now = Date.now }: { freshMs: number; failedMs?: number; now?: () => number },
): () => Promise<T> {
  let current: { result: Promise<T>; staleAt: number } | undefined;
  return () => {
    if (current !== undefined && now() < current.staleAt) return current.result;
    const result = check();
    const running = { result, staleAt: Infinity };
    current = running;
    result.then(
      () => (running.staleAt = now() + freshMs),
      () => (running.staleAt = now() + failedMs),
    );
    return result;
  };
}
