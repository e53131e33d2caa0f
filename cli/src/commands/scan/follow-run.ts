import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_LIMITS } from "@waymark/shared/operations/limits.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { getScanRun } from "../../api/scans-api.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";

const INTERVAL_FIRST_MS = 100;
const INTERVAL_MAX_MS = 5000;

/**
 * Asks for a run until it is completed. The server answers when it is, so the intervals between requests matter only if the server
 * does not wait, such as when it stops.
 *
 * @throws {CliError} if it failed, if the time is up, or if the server can't be reached
 */
export async function followRun(
  connection: ApiConnection,
  reporter: Reporter,
  options: { scanRunId: string; timeoutSeconds: number },
): Promise<void> {
  const deadline = performance.now() + options.timeoutSeconds * 1000;
  let interval = INTERVAL_FIRST_MS;
  for (;;) {
    const asked = performance.now();
    const left = deadline - asked;
    const waitSeconds = Math.max(0, Math.min(WAIT_LIMITS.secondsMax, Math.floor(left / 1000) - 1));
    // The last request must not take longer than the remaining time.
    const times = { ...connection.times, totalMs: Math.max(1, Math.min(connection.times.totalMs, left)) };
    const run = await askUntil(
      deadline,
      () => getScanRun({ ...connection, times }, { scanRunId: options.scanRunId, waitSeconds }),
      options,
    );
    if (run.status === "completed") return;
    if (run.status === "failed") {
      const why =
        run.error === null
          ? ""
          : `: ${printable(run.error.code, 100)}: ${printable(run.error.message).replace(/[.]$/, "")}`;
      throw new CliError(EXIT_CODES.unavailable, `The scan run ${options.scanRunId} failed${why}.`);
    }
    if (waitSeconds > 0 && performance.now() - asked >= waitSeconds * 1000) interval = INTERVAL_FIRST_MS;
    if (performance.now() + interval >= deadline) throw timedOut(options);
    reporter.progress(`Waiting for the scan run ${options.scanRunId}, it is ${run.status}…`);
    await sleep(interval);
    interval = Math.min(INTERVAL_MAX_MS, interval * 1.6);
  }
}

async function askUntil<T>(
  deadline: number,
  ask: () => Promise<T>,
  options: { scanRunId: string; timeoutSeconds: number },
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isUnavailable = error instanceof CliError && error.exitCode === EXIT_CODES.unavailable;
    if (isUnavailable && performance.now() >= deadline - 1) throw timedOut(options, error);
    throw error;
  }
}

function timedOut(options: { scanRunId: string; timeoutSeconds: number }, cause?: unknown): CliError {
  return new CliError(
    EXIT_CODES.waitTimedOut,
    `The scan run ${options.scanRunId} was not completed within ${options.timeoutSeconds} s. It is stored, and the server continues to process it.`,
    { cause },
  );
}
