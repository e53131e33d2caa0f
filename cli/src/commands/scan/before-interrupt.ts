const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Does something before the first interrupt ends the process. A second one ends it at once.
 * @returns disposed, an interrupt has its usual effect again
 */
export function beforeInterrupt(act: () => Promise<void>): Disposable {
  const stop = (): void => {
    for (const name of SIGNALS) process.off(name, interrupted);
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    stop();
    // The signal itself ends the process, so that its parent sees what ended it.
    void act().finally(() => process.kill(process.pid, signal));
  };
  for (const name of SIGNALS) process.on(name, interrupted);
  return { [Symbol.dispose]: stop };
}
