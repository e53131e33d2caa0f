import { setTimeout as sleep } from "node:timers/promises";

/**
 * Retries `work` after a failure, for about `limitMs` at most.
 *
 * @throws the error of the last attempt
 */
export async function retryFor<T>(
  work: () => Promise<T>,
  { limitMs, pauseMs }: { limitMs: number; pauseMs: number },
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + pauseMs > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}
