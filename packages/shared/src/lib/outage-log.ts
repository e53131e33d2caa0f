import type { Logger } from "pino";

const REMINDER_MS = 60_000;
/** Several connections come back one after the other: only when none has failed for so long is it over. */
const QUIET_MS = 3_000;

export interface OutageLog {
  failed: (error: Error) => void;
  /** Something got through. */
  recovered: () => void;
}

/**
 * Tells of a server that is away: one line when it begins, a reminder a minute at most while it lasts, and one line
 * when it is over, however often somebody tries.
 *
 * @param options.what the server, as the beginning of a sentence
 */
export function createOutageLog(
  logger: Logger,
  { what, quietMs = QUIET_MS, now = Date.now }: { what: string; quietMs?: number; now?: () => number },
): OutageLog {
  let outage: { since: number; toldAt: number; errors: number } | undefined;
  let quiet: NodeJS.Timeout | undefined;

  return {
    failed(error) {
      clearTimeout(quiet);
      quiet = undefined;
      if (outage === undefined) {
        outage = { since: now(), toldAt: now(), errors: 1 };
        logger.error({ err: error }, `${what} can't be reached`);
        return;
      }
      outage.errors++;
      if (now() - outage.toldAt < REMINDER_MS) return;
      outage.toldAt = now();
      const { errors, since } = outage;
      logger.error({ err: error, errors, forMs: now() - since }, `${what} still can't be reached`);
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
