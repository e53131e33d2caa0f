import { step } from "../bootstrap/progress.mjs";
import { type RunningPostgres, startPostgres } from "../postgres/start-postgres.ts";
import type { DevConfig } from "./config.ts";

const RESTARTS_MAX = 5;

export interface Database {
  /** The owner's address: never to be logged. */
  url: string;
  /** Rejects when the embedded server is gone for good. */
  lost: Promise<never>;
  stop(): Promise<void>;
}

/** The user's own server, or the embedded one, which is started again when it is killed under us. */
export async function openDatabase({ databaseUrl, dataFolder }: DevConfig): Promise<Database> {
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, lost: new Promise<never>(() => {}), stop: async () => undefined };
  }
  let postgres = await step("Starting the database", () => startPostgres({ folder: dataFolder }));
  const url = postgres.databaseUrl;
  let stopping = false;

  async function keepRunning(): Promise<never> {
    for (let restarts = 0; ; restarts++) {
      await postgres.gone;
      if (stopping) return new Promise<never>(() => {});
      if (restarts === RESTARTS_MAX) throw new Error("The database ended again and again; see postgres.log.");
      process.stderr.write("The database ended unexpectedly; starting it again …\n");
      postgres = await restart();
    }
  }

  async function restart(): Promise<RunningPostgres> {
    const port = Number(new URL(url).port);
    const next = await startPostgres({ folder: dataFolder, port });
    if (next.databaseUrl === url) return next;
    await next.stop();
    throw new Error(`The database could not be started again: another program took its port ${port}.`);
  }

  const lost = keepRunning();
  // Who waits for it hears of it; before anybody does, the services' own failure is the message.
  lost.catch(() => undefined);
  return {
    url,
    lost,
    async stop() {
      stopping = true;
      await postgres.stop();
    },
  };
}
