import { createPostgresBackend, Queue, type QueueOptions, withBackend } from "bullmq";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { openPostgresPool, openRedis, probeRedis } from "./backend.ts";
import type { QueueBackend, QueueEvents } from "./backend.ts";
import { probeAfterErrors } from "./probe-after-errors.ts";

const COMMAND_TIMEOUT_MS = 1_000;
/** The maximum number of concurrent announcements. The workers' reconcilers find runs beyond it. */
const ANNOUNCEMENTS_MAX = 1_000;
/** After this many consecutive time-outs it reconnects: the server may be gone without having closed the connection. */
const TIMEOUTS_MAX = 3;
/** A queue of hints that something waits. A job contains ids only: Postgres has the data, and a lost job only delays it. */
export interface QueueKind<Job> {
  queueName: string;
  jobName: string;
  idOf: (job: Job) => string;
}

export interface WakeUpQueue<Job> {
  /**
   * Tells the workers that a run is waiting.
   *
   * @param publishCount distinguishes this job from earlier jobs of the same run, which would be deduplicated
   * @throws Error if the queue does not accept it within a second
   */
  announce(job: Job, publishCount?: number): Promise<void>;
}

/** The connection that a process's queues share. */
export interface QueueConnection {
  open<Job>(kind: QueueKind<Job>): WakeUpQueue<Job>;
  /** See {@link WakeUpWorker.started}. */
  started(): Promise<void>;
  /** Whether it accepts announcements now, which means that Redis accepts writes. Waits for at most a second. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}

export function connectQueues(backend: QueueBackend, events: QueueEvents): QueueConnection {
  const { onError, onUsable = () => undefined } = events;
  const queues: ReturnType<OpenConnection["openQueue"]>[] = [];
  const { openQueue, probe, reconnect, disconnect } = connect(backend, failed);
  const ask = createCommandRunner({ reconnect, onUsable, onFailed: failed });
  const isUsable = () =>
    ask(probe).then(
      () => true,
      () => false,
    );

  const probes = probeAfterErrors(() => ask(probe));

  function failed(error: unknown): void {
    onError(toError(error));
    probes.add();
  }

  return {
    open<Job>(kind: QueueKind<Job>): WakeUpQueue<Job> {
      const queue = openQueue(kind.queueName);
      queue.on("error", failed);
      queues.push(queue);
      let underWay = 0;
      return {
        async announce(job, publishCount = 0) {
          if (underWay >= ANNOUNCEMENTS_MAX) throw new Error("too many announcements are under way");
          underWay++;
          try {
            await ask(() => queue.add(kind.jobName, job, jobOptions(kind.idOf(job), publishCount)));
          } finally {
            underWay--;
          }
        },
      };
    },
    started: async () => {
      if (backend.redisUrl === undefined) await Promise.all(queues.map((queue) => queue.waitUntilReady()));
    },
    isUsable,
    async close() {
      probes.end();
      await withTimeout(Promise.all(queues.map((queue) => queue.close()))).catch(onError);
      disconnect();
    },
  };
}

/**
 * Creates a function that runs a command of the queue with a time limit, and reconnects after several time-outs in a row.
 * It throws the command's error, or a time-out.
 */
function createCommandRunner(events: {
  reconnect: () => void;
  onUsable: () => void;
  onFailed: (error: unknown) => void;
}): (command: () => Promise<unknown>) => Promise<void> {
  let timeouts = 0;
  return async (command) => {
    try {
      await withTimeout(command());
      timeouts = 0;
      events.onUsable();
    } catch (error) {
      timeouts = isTimeout(error) ? timeouts + 1 : 0;
      if (timeouts > 0 && timeouts % TIMEOUTS_MAX === 0) events.reconnect();
      events.onFailed(error);
      throw error;
    }
  };
}

function jobOptions(id: string, publishCount: number) {
  // Finished jobs are removed immediately: the run's row is the record. A failed job needs no retry: the run stays due, and
  // is claimed after the next job or by a worker's reconciler.
  return {
    jobId: `${id}-${publishCount}`,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}

interface OpenConnection {
  openQueue: (name: string) => Pick<Queue, "add" | "close" | "waitUntilReady"> & {
    on: (event: "error", listener: (error: Error) => void) => unknown;
  };
  probe: () => Promise<unknown>;
  reconnect: () => void;
  disconnect: () => void;
}

function connect(backend: QueueBackend, onError: (error: Error) => void): OpenConnection {
  if (backend.redisUrl === undefined) {
    const pool = openPostgresPool(backend.databaseUrl, onError);
    return {
      openQueue: (name: string) => new PostgresQueue(name, { connection: pool }),
      probe: () => pool.query("SELECT"),
      reconnect: () => undefined,
      disconnect: () => void pool.end().catch(onError),
    };
  }
  // No offline queue and a time limit on each command: a request must never wait for a dead Redis.
  const { connection, prefix } = openRedis(backend.redisUrl, onError, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  // The version check would be the first command and its failure final, but Redis may start after this process.
  const options: QueueOptions = { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true };
  return {
    openQueue: (name: string) => new Queue(name, options),
    probe: () => probeRedis(connection),
    // In every other state it is already reconnecting.
    reconnect: () => {
      if (connection.status === "ready") connection.disconnect(true);
    },
    disconnect: () => connection.disconnect(),
  };
}

const { Queue: PostgresQueue } = withBackend(createPostgresBackend);

class QueueTimeout extends Error {}

/** This module's time-out, or that of ioredis for a single command. */
function isTimeout(error: unknown): boolean {
  return error instanceof QueueTimeout || (error instanceof Error && error.message === "Command timed out");
}

export async function withTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new QueueTimeout(`the queue did not respond within ${COMMAND_TIMEOUT_MS} ms`)),
      COMMAND_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
