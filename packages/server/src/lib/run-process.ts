// Not close-with-grace: it exits at the second signal, and Ctrl-C under a launcher sends two (the terminal's and the launcher's).
import type { Logger } from "pino";
import { toError } from "@waymark/shared/lib/to-error.ts";

export interface RunningProcess {
  logger: Logger;
  /** Called first at a signal, and never after an uncaught error. Until it resolves, the process goes on serving. */
  drain?(): Promise<void>;
  close(): Promise<void>;
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The time limit for closing, which begins after `drain`. After it the process exits anyway; every accepted scan is stored. */
const CLOSE_MS_MAX = 30_000;

/**
 * Runs a process of the server: starts it, drains and closes it on SIGINT or SIGTERM, and closes it on an uncaught error. A
 * signal during the start ends it at once. If it can't start, it prints one line on standard error and exits with code 1.
 */
export async function runProcess(name: string, start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess;
  // As the first process of a container, it would ignore signals without a listener.
  const endStart = (): never => process.exit(0);
  for (const signal of STOP_SIGNALS) process.on(signal, endStart);
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`waymark ${name}: ${toError(error).message}\n`);
    process.exit(1);
  }
  for (const signal of STOP_SIGNALS) process.off(signal, endStart);

  let closing: Promise<never> | undefined;
  const end = (exitCode: number): Promise<never> => {
    setTimeout(() => {
      running.logger.error({ afterMs: CLOSE_MS_MAX }, "did not close in time");
      process.exit(1);
    }, CLOSE_MS_MAX).unref();
    closing ??= running
      .close()
      .then(
        () => exitCode,
        (error: unknown) => {
          running.logger.error({ err: error }, "could not close cleanly");
          return 1;
        },
      )
      .then((code) => process.exit(code));
    return closing;
  };
  let draining: Promise<void> | undefined;
  const endAfterDrain = (): void => {
    draining ??= running.drain?.() ?? Promise.resolve();
    void draining.then(() => end(0));
  };
  for (const signal of STOP_SIGNALS) process.on(signal, endAfterDrain);
  process.on("uncaughtException", (error) => {
    running.logger.fatal({ err: error }, "uncaught error");
    void end(1);
  });
}
