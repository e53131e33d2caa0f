// Not close-with-grace: it exits at the second signal, and Ctrl-C under a launcher sends two (the terminal's and the launcher's).
import type { Logger } from "pino";
import { toError } from "./to-error.ts";

export interface RunningProcess {
  logger: Logger;
  close(): Promise<void>;
}

/** The time limit for closing. After it the process exits anyway; every accepted scan is stored. */
const CLOSE_MS_MAX = 30_000;

/**
 * Runs a service's process: starts it, and closes it on SIGINT, SIGTERM or an uncaught error. If it can't start, it prints
 * one line on standard error and exits with code 1.
 */
export async function runProcess(name: string, start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`waymark ${name}: ${toError(error).message}\n`);
    process.exit(1);
  }

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
  process.on("SIGINT", () => void end(0));
  process.on("SIGTERM", () => void end(0));
  process.on("uncaughtException", (error) => {
    running.logger.fatal({ err: error }, "uncaught error");
    void end(1);
  });
}
