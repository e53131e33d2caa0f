import type { Logger } from "pino";

const REMINDER_MS = 60_000;
/** Connections come back one after the other, so an outage is over only when none has failed for this long. */
const QUIET_MS = 3_000;

export interface OutageLog {
  failed: (error: Error) => void;
  /** A request succeeded. */
  recovered: () => void;
  /** True from the first failure until the end of the outage is logged. */
  isOn: () => boolean;
}

/**
 * Logs an outage of a server: one line at its start, at most one a minute while it lasts, and one at its end, regardless
 * of the number of failures.
 *
 * @param options.what the server, as the beginning of a sentence
 * @param options.level the level of the lines about the failure
 */
export function createOutageLog(
  logger: Logger,
  options: { what: string; level?: "error" | "warn"; quietMs?: number; now?: () => number },
): OutageLog {
  const { what, level = "error", quietMs = QUIET_MS, now = Date.now } = options;
  let outage: { since: number; toldAt: number; errors: number } | undefined;
  let quiet: NodeJS.Timeout | undefined;

  return {
    isOn: () => outage !== undefined,
    failed(error) {
      clearTimeout(quiet);
      quiet = undefined;
      if (outage === undefined) {
        outage = { since: now(), toldAt: now(), errors: 1 };
        logger[level]({ err: error }, `${what} can't be reached`);
        return;
      }
      outage.errors++;
      if (now() - outage.toldAt < REMINDER_MS) return;
      outage.toldAt = now();
      const { errors, since } = outage;
      logger[level]({ err: error, errors, forMs: now() - since }, `${what} still can't be reached`);
    },
    recovered() {
      if (outage === undefined || quiet !== undefined) return;
      const { since } = outage;
      const forMs = now() - since;
      quiet = setTimeout(() => {
        logger.info({ errors: outage?.errors, forMs }, `${what} can be reached again`);
        outage = undefined;
        quiet = undefined;
      }, quietMs);
      quiet.unref();
    },
  };
}
