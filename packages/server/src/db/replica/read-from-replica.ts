import { setTimeout as sleep } from "node:timers/promises";
import { type CommonQueryMethods, type DatabasePool, sql, StatementTimeoutError } from "slonik";
import { z } from "zod";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { isDatabaseUnavailable } from "../unavailable.ts";
import { isRead } from "./as-read.ts";

/** How long a read waits for the replica to have what the primary has, and how often it looks. */
const REPLAY_WAIT_MS = 20;
const REPLAY_POLL_MS = 2;
/** How long reads go to the primary after the replica was behind or could not be reached. */
const PAUSE_MS = 1_000;

export interface ReplicaOptions {
  /** @throws Error if the replica can't be used, which is no reason to refuse a read */
  open: () => Promise<DatabasePool>;
  /** Gets which server answered a read. */
  onRead: (server: "primary" | "replica") => void;
  /** Gets why the replica can't be used. */
  onError: (error: Error) => void;
  onUsable: () => void;
}

/**
 * Returns the pool with another way to connect: what only reads (`asRead`) goes to a replica that has everything which the primary
 * had when the work asked. So a read is never older than its request. It goes to the primary if the replica is more than 20 ms
 * behind, can't be reached, cancels the work in favour of what it replays, or if the work writes after all. Then the work runs
 * again: it must have no effect but on the database.
 */
export function readFromReplica(primary: DatabasePool, options: ReplicaOptions): DatabasePool {
  const { onRead, onError, onUsable } = options;
  const position = sharedPosition(primary);
  const replica = createReplica(options);

  /** @returns undefined if the primary has to answer */
  const answeredByReplica = async <T>(handler: Parameters<typeof primary.connect<T>>[0]) => {
    try {
      const server = await replica.open();
      const needed = await position();
      return await server.connect(async (connection) =>
        (await reaches(connection, needed)) ? { value: await handler(connection) } : undefined,
      );
    } catch (error) {
      const failure = toError(error);
      if (failure instanceof StatementTimeoutError || !isDatabaseUnavailable(failure)) throw error;
      onError(failure);
      return undefined;
    }
  };

  const connect: DatabasePool["connect"] = async (handler) => {
    if (!isRead()) return primary.connect(handler);
    if (!replica.isPaused()) {
      const answered = await answeredByReplica(handler);
      if (answered !== undefined) {
        onUsable();
        onRead("replica");
        return answered.value;
      }
      replica.pause();
    }
    onRead("primary");
    return primary.connect(handler);
  };

  return {
    ...primary,
    connect,
    async end() {
      await Promise.all([primary.end(), replica.end()]);
    },
  };
}

/** The connections to the replica: opened when the first read needs them, and again after that failed. */
function createReplica({ open }: Pick<ReplicaOptions, "open">) {
  let opened: Promise<DatabasePool> | undefined;
  let pausedUntil = 0;
  return {
    open(): Promise<DatabasePool> {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    isPaused: () => Date.now() < pausedUntil,
    pause() {
      pausedUntil = Date.now() + PAUSE_MS;
    },
    async end() {
      await opened?.then(
        (pool) => pool.end(),
        () => undefined,
      );
    },
  };
}

/**
 * Asks for the primary's position: what was committed before is in front of it. Reads that come while it is asked share the next
 * question, as an earlier answer may not have what they need.
 */
function sharedPosition(primary: DatabasePool): () => Promise<string> {
  const ask = () =>
    primary.oneFirst(
      sql.type(z.object({ position: z.string() }))`SELECT pg_current_wal_flush_lsn()::text AS position`,
    );
  const questions = createBatcher<undefined, string>(
    {
      async runBatch(asked) {
        const position = await ask();
        return asked.map(() => position);
      },
      runIndividually: ask,
      canRetryIndividually: () => false,
    },
    { itemsMax: 1_000, inFlightMax: 1, holdMsMax: 200 },
  );
  return () => questions.add(undefined);
}

/** Whether the server of a connection is a replica that has, at once or soon, everything in front of the position. */
async function reaches(connection: CommonQueryMethods, position: string): Promise<boolean> {
  const until = Date.now() + REPLAY_WAIT_MS;
  for (;;) {
    const { has_it: hasIt, follows } = await connection.one(
      sql.type(z.object({ has_it: z.boolean(), follows: z.boolean() }))`
        SELECT coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) AS has_it, pg_is_in_recovery() AS follows`,
    );
    if (hasIt && follows) return true;
    // A server that follows nobody may be a primary of its own.
    if (!follows || Date.now() >= until) return false;
    await sleep(REPLAY_POLL_MS);
  }
}
