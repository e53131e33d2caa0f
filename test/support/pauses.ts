import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { query } from "./sql.ts";

// Any number that nothing else locks.
const PAUSE_LOCK = 5_501;

interface Database {
  databaseUrl: string;
}

export interface Pause extends AsyncDisposable {
  /** Resolves when a caller waits in it. */
  reached(): Promise<void>;
  /** Releases the waiting callers, and later ones. */
  end(): Promise<void>;
}

/** Replaces a text in a database function until it is disposed. */
export async function replaceInFunction(
  database: Database,
  functionName: string,
  { text, by }: { text: string; by: string },
): Promise<AsyncDisposable> {
  const definition = await definitionOf(database, functionName);
  const parts = definition.split(text);
  if (parts.length !== 2) throw new Error(`${functionName} has ${parts.length - 1} times: ${text}`);
  await query(database, parts.join(by));
  return { [Symbol.asyncDispose]: async () => void (await query(database, definition)) };
}

/** Makes callers of a database function wait after the statement that ends with `text`. */
export async function pauseAfter(database: Database, functionName: string, text: string): Promise<Pause> {
  await query(
    database,
    `CREATE OR REPLACE FUNCTION test_pause() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = 0 AS $$
     BEGIN
       PERFORM pg_advisory_lock_shared(${PAUSE_LOCK}), pg_advisory_unlock_shared(${PAUSE_LOCK});
       RETURN true;
     END $$`,
  );
  const holder = new Client(database.databaseUrl);
  await holder.connect();
  await holder.query("SELECT pg_advisory_lock($1)", [PAUSE_LOCK]);
  // Not PERFORM, which would set FOUND.
  const paused = `${text}\n  IF test_pause() THEN NULL; END IF;\n`;
  const replaced = await replaceInFunction(database, functionName, { text, by: paused });
  return {
    reached: () => untilWaiting(database, { atLeast: 1, type: "advisory" }),
    end: async () => void (await holder.query("SELECT pg_advisory_unlock_all()")),
    async [Symbol.asyncDispose]() {
      await holder.end();
      await replaced[Symbol.asyncDispose]();
    },
  };
}

/** Makes a function wait after each of its statements, for up to `msMax`. */
export async function pauseAtRandom(database: Database, functionName: string, msMax: number): Promise<void> {
  await query(
    database,
    `CREATE OR REPLACE FUNCTION test_pause_at_random(p_ms_max integer) RETURNS boolean LANGUAGE plpgsql AS $$
     BEGIN
       PERFORM pg_sleep(random() * p_ms_max / 1000);
       RETURN true;
     END $$`,
  );
  const [head = "", ...body] = (await definitionOf(database, functionName)).split("\nBEGIN\n");
  const pause = `;\n  IF test_pause_at_random(${msMax}) THEN NULL; END IF;\n`;
  await query(database, [head, ...body.map((part) => part.replaceAll(";\n", pause))].join("\nBEGIN\n"));
}

/** Resolves when others wait for what a transaction has locked. */
export async function untilWaiting(
  database: Database,
  { atLeast, type }: { atLeast: number; type: "advisory" | "row" },
): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [row] = await query<{ total: number }>(
      database,
      `SELECT count(DISTINCT pid)::int AS total FROM pg_locks
       WHERE NOT granted AND (locktype = 'advisory') = $1
         AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
      [type === "advisory"],
    );
    if ((row?.total ?? 0) >= atLeast) return;
    if (Date.now() > deadline) throw new Error(`nobody waits for a lock (${type})`);
    await sleep(5);
  }
}

async function definitionOf(database: Database, functionName: string): Promise<string> {
  const [row] = await query<{ definition: string }>(
    database,
    "SELECT pg_get_functiondef($1::regproc) AS definition",
    [functionName],
  );
  return row?.definition ?? "";
}
