import { setTimeout as sleep } from "node:timers/promises";

/**
 * Does `work` again after a failure, as long as it takes but not for longer than about `limitMs`.
 *
 * @throws what the last attempt threw
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
