import { setTimeout as sleep } from "node:timers/promises";
import {
  type CommonQueryMethods,
  type ConnectionRoutine,
  type DatabasePool,
  sql,
  StatementTimeoutError,
} from "slonik";
import { z } from "zod";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { isDatabaseUnavailable, readOnlySession } from "../unavailable.ts";
import { isRead } from "./as-read.ts";

/** How long a read waits for the replica to have what the primary has, and how often it looks. */
const REPLAY_WAIT_MS = 20;
const REPLAY_POLL_MS = 2;
/** How long a read waits for the replica at all: it may accept connections and never answer, or be busy. */
const ANSWER_MS = 500;
/** How long reads go to the primary after the replica was behind or could not be used. Then one read tries it again. */
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
 * behind or can't be used for whatever reason. It does so too if the replica cancels the work in favour of what it replays, or if the
 * work writes after all. Then the work runs again: it must have no effect but on the database.
 */
export function readFromReplica(primary: DatabasePool, options: ReplicaOptions): DatabasePool {
  const { onRead, onError, onUsable } = options;
  const position = sharedPosition(primary);
  const replica = createReplica(options);

  /** @returns undefined if the primary has to answer */
  const answeredByReplica = async <T>(handler: ConnectionRoutine<T>) => {
    const server = replica.opened();
    if (server === undefined) return undefined;
    const wait = startWait();
    try {
      return await Promise.race([answer(server, handler, { position, replica, wait }), wait.late]);
    } catch (error) {
      const failure = toError(error);
      if (wait.state === "ended") {
        if (failure instanceof StatementTimeoutError || !isDatabaseUnavailable(failure)) throw error;
        // The work writes after all: nothing is wrong with the replica.
        if (readOnlySession(failure) !== undefined) return undefined;
      }
      replica.pause();
      onError(failure);
      return undefined;
    } finally {
      wait.end();
    }
  };

  const connect: DatabasePool["connect"] = async (handler) => {
    if (!isRead()) return primary.connect(handler);
    const answered = replica.mayTry() ? await answeredByReplica(handler) : undefined;
    if (answered === undefined) {
      onRead("primary");
      return primary.connect(handler);
    }
    onUsable();
    onRead("replica");
    return answered.value;
  };

  return {
    ...primary,
    connect,
    async end() {
      await Promise.all([primary.end(), replica.end()]);
    },
  };
}

/** Runs the work on a server that has everything in front of the position. @returns undefined if it has not, or not in time */
async function answer<T>(
  server: DatabasePool,
  work: ConnectionRoutine<T>,
  {
    position,
    replica,
    wait,
  }: {
    position: () => Promise<string>;
    replica: ReturnType<typeof createReplica>;
    wait: ReturnType<typeof startWait>;
  },
) {
  const needed = await position();
  return server.connect(async (connection) => {
    if (wait.state === "late") return undefined;
    // If this throws, Slonik closes the connection: one that does not answer is not used again.
    if (!(await Promise.race([reaches(connection, needed), wait.late]))) {
      replica.pause();
      return undefined;
    }
    wait.end();
    replica.resume();
    return { value: await work(connection) };
  });
}

/** The connections to the replica: the first read opens them, and again after that failed, and does not wait for them. */
function createReplica({ open, onError }: Pick<ReplicaOptions, "open" | "onError">) {
  let opening: Promise<void> | undefined;
  let pool: DatabasePool | undefined;
  let pausedUntil: number | undefined;
  const pause = () => {
    pausedUntil = Date.now() + PAUSE_MS;
  };
  const openPool = async () => {
    try {
      pool = await open();
    } catch (error) {
      opening = undefined;
      pause();
      onError(toError(error));
    }
  };
  return {
    /** @returns undefined until they are open */
    opened(): DatabasePool | undefined {
      opening ??= openPool();
      return pool;
    },
    /** Whether a read may go to the replica. After a pause, the read that asks first may. */
    mayTry() {
      if (pausedUntil === undefined) return true;
      if (Date.now() < pausedUntil) return false;
      pause();
      return true;
    },
    pause,
    resume() {
      pausedUntil = undefined;
    },
    async end() {
      await opening;
      await pool?.end();
    },
  };
}

/** Starts the time in which the replica has to answer. `late` rejects when it is over, unless the wait has ended. */
function startWait() {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    wait.state = "late";
    reject(new Error(`the replica did not answer within ${ANSWER_MS} ms`));
  }, ANSWER_MS);
  const wait: { state: "waiting" | "late" | "ended"; late: Promise<never>; end: () => void } = {
    state: "waiting",
    late,
    end() {
      clearTimeout(timer);
      if (wait.state === "waiting") wait.state = "ended";
    },
  };
  return wait;
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
