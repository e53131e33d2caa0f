const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface Interrupt extends Disposable {
  signal: AbortSignal;
}

/**
 * The first interrupt ends the runs, which still run their teardown. A second one has its usual effect and ends the process.
 */
export function interruptOnce(onInterrupt: () => void): Interrupt {
  const controller = new AbortController();
  const stop = (): void => {
    for (const name of SIGNALS) process.off(name, interrupted);
  };
  const interrupted = (): void => {
    stop();
    controller.abort();
    onInterrupt();
  };
  for (const name of SIGNALS) process.on(name, interrupted);
  return { signal: controller.signal, [Symbol.dispose]: stop };
}
