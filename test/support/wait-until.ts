import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again until it is so.
 *
 * @param what what is waited for, for the error
 * @throws Error if it is not so in time, which is generous: a busy machine takes ten times as long
 */
export async function waitUntil(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { withinMs = 60_000, everyMs = 20 } = {},
): Promise<void> {
  // Not the time of day, which a machine that was paused corrects by minutes.
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await sleep(everyMs);
  }
}
