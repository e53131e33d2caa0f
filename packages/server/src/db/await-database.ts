import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../lib/logger.ts";
import { createOutageLog } from "../lib/outage-log.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

const PAUSE_MS = 1_000;

/** The database or its pooler refuses what the operator set. A retry can't help; the message says what to correct. */
export class DatabaseRefusedError extends Error {}

/**
 * Calls `open` until the database is available: while it restarts, a process that starts must wait, because nothing may be
 * there to start the process again. The outage is logged once at its start, once a minute, and at its end.
 *
 * @throws the error of `open` if a retry can't help, for example if the login is refused
 */
export async function awaitDatabase<Opened>(open: () => Promise<Opened>, logger: Logger): Promise<Opened> {
  const outage = createOutageLog(logger, { what: "the database, which the process needs to start," });
  for (;;) {
    try {
      const opened = await open();
      outage.recovered();
      return opened;
    } catch (error) {
      const failure = toError(error);
      // Its cause may have a code of unavailability: poolers use 08P01 for everything.
      if (failure instanceof DatabaseRefusedError || !isDatabaseUnavailable(failure)) throw error;
      outage.failed(failure);
      await sleep(PAUSE_MS);
    }
  }
}

/** A part of a process that has started when the database was available. */
interface Startable {
  started(): Promise<void>;
}

/**
 * Opens something that doesn't retry its first connection, and opens it again until it has started.
 *
 * @throws the error of `started` if a retry can't help
 */
export function startWithDatabase<Opened extends Startable>(
  open: () => Opened,
  { close, logger }: { close: (opened: Opened) => Promise<void>; logger: Logger },
): Promise<Opened> {
  return awaitDatabase(async () => {
    const opened = open();
    try {
      await opened.started();
      return opened;
    } catch (error) {
      await close(opened);
      throw error;
    }
  }, logger);
}
