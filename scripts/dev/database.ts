import { step } from "../bootstrap/progress.mjs";
import { startPostgres } from "../postgres/start-postgres.ts";
import type { DevConfig } from "./config.ts";

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** The user's own server, or the embedded one, which is restarted if it is killed. */
export async function openDatabase({ databaseUrl, dataFolder: folder }: DevConfig) {
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, lost: new Promise<void>(() => {}), stop: async () => undefined };
  }
  let postgres = await step("Starting the database", () => startPostgres({ folder }));
  const url = postgres.databaseUrl;
  const port = Number(new URL(url).port);
  let stopping = false;

  async function keepRunning(): Promise<void> {
    for (;;) {
      await postgres.gone;
      if (stopping) return;
      process.stderr.write("The database ended unexpectedly; starting it again …\n");
      postgres = await startPostgres({ folder, port });
      if (postgres.databaseUrl !== url)
        throw new Error(`Another program took the port ${port} of the database.`);
    }
  }

  const lost = keepRunning();
  // Prevents an unhandled rejection if it rejects before anything waits for it.
  lost.catch(() => undefined);
  return {
    /** The owner's address: never to be logged. */
    url,
    /** Rejects when the embedded server is gone for good. */
    lost,
    async stop() {
      stopping = true;
      await postgres.stop();
    },
  };
}
