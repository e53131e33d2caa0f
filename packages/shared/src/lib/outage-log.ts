import type { Logger } from "pino";

const REMINDER_MS = 60_000;
/** Several connections come back one after the other: only when none has failed for so long is it over. */
const QUIET_MS = 3_000;

export interface OutageLog {
  failed: (error: Error) => void;
  /** Something got through. */
  recovered: () => void;
  /** From the first failure until it is told that the outage is over. */
  isOn: () => boolean;
}

/**
 * Tells of a server that is away: one line when it begins, a reminder a minute at most while it lasts, and one line
 * when it is over, however often somebody tries.
 *
 * @param options.what the server, as the beginning of a sentence
 * @param options.level of the lines that tell of its failure
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
