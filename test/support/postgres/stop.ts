// Stops the embedded Postgres of a data folder as soon as standard input ends, unless another process uses it, too. Usage:
// node stop.ts FOLDER LAUNCHER [--remove], with the id of the process that has started it.
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [folder = "", launcher = "", option] = process.argv.slice(2);
const NOTICED_WITHIN_MS = 60_000;

process.stdin.resume();
process.stdin.once("end", () => void stop());

async function stop(): Promise<void> {
  // Not before: most guards are not needed.
  const { LAUNCHER, startPostgres } = await import("../../../scripts/postgres/start-postgres.ts");
  const { query } = await import("../sql.ts");
  const postgres = await startPostgres({ folder });
  // The server keeps running for its launcher until it has noticed that it is gone.
  const isKnown = async () => {
    const connections = "SELECT FROM pg_stat_activity WHERE application_name = $1";
    return (await query(postgres, connections, [LAUNCHER + launcher])).length > 0;
  };
  for (const end = Date.now() + NOTICED_WITHIN_MS; Date.now() < end && (await isKnown());) await sleep(20);
  await postgres.stop();
  if (option === "--remove") rmSync(folder, { recursive: true, force: true });
}
