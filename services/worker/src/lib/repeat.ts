/**
 * Repeats `work` about every `everyMs`, never concurrently, until it is stopped. Stopping waits for running work. The
 * interval has jitter, so that many workers don't act at the same moment.
 */
export function repeat(
  work: () => Promise<unknown>,
  { everyMs, onError }: { everyMs: number; onError: (error: Error) => void },
): { stop: () => Promise<void> } {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(run, everyMs * (0.75 + Math.random() / 2));
  };
  const run = () => {
    running = work()
      .catch(onError)
      .finally(() => {
        if (!stopped) schedule();
      });
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
