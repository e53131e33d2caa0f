// Starts the embedded Postgres of the folder given, prints its process id, and stops it when standard input closes.
import { startPostgres } from "../../../scripts/postgres/start-postgres.ts";

const postgres = await startPostgres({ folder: process.argv[2] ?? "" });
process.stdout.write(`${postgres.pid}\n`);
process.stdin.resume();
process.stdin.once("end", () => void postgres.stop());
