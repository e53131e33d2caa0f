/** How long after the last error it asks, and again after an answer that is an error. */
const PROBE_AFTER_MS = 1_000;

/**
 * Asks whether a connection works again, once it has had no error for a second: nothing else may use it for hours.
 *
 * @param probe rejects if it does not work, and does not wait for longer than a second
 */
export function probeAfterErrors(probe: () => Promise<void>): { add: () => void; end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const add = () => {
    clearTimeout(timer);
    if (isEnded) return;
    timer = setTimeout(() => {
      probe().catch(add);
    }, PROBE_AFTER_MS).unref();
  };
  return {
    add,
    end() {
      clearTimeout(timer);
      isEnded = true;
    },
  };
}
