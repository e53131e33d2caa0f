import {
  createPostgresBackend,
  type PgPool,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  withBackend,
} from "bullmq";
import { Redis, type RedisOptions } from "ioredis";
import { createQueuePool } from "../db/pool.ts";
import { createReconnectOptions } from "../lib/redis-reconnect.ts";
import { toError } from "../lib/to-error.ts";

const QUEUE_NAME = "scan-persistence";
const COMMAND_TIMEOUT_MS = 1_000;
/** The maximum number of concurrent announcements. The workers' reconcilers find runs beyond it. */
const ANNOUNCEMENTS_MAX = 1_000;
/** After this many consecutive time-outs it reconnects: the server may be gone without having closed the connection. */
const TIMEOUTS_MAX = 3;
/** While the queue is unavailable, it is checked this often. */
const PROBE_EVERY_MS = 1_000;
/** A key for testing whether Redis accepts writes. */
const PROBE_KEY = "waymark:queue-probe";
/** Idle connections to a server that is gone are detected after this time plus 10 s. */
const KEEP_ALIVE_MS = 10_000;

/** Connections for a queue, and for a worker, which uses one of them to listen. */
const POSTGRES_CONNECTIONS_MAX = 5;

/** A hint that a run waits. It contains ids only: Postgres has the data, and a lost job only delays the run. */
export interface ScanJob {
  organizationId: string;
  scanRunId: string;
}

/** BullMQ on Redis if `redisUrl` is set, otherwise on Postgres, with the same code. */
export interface QueueBackend {
  redisUrl: string | undefined;
  /** A direct connection: the Postgres backend uses LISTEN, which poolers in transaction mode don't support. */
  databaseUrl: string;
}

export interface QueueEvents {
  /** A connection or a command failed. Called repeatedly during an outage. */
  onError: (error: Error) => void;
  /** A connection was established, or a command succeeded. */
  onUsable?: () => void;
}

export interface ScanQueue {
  /** See {@link ScanWorker.started}. */
  started(): Promise<void>;
  /**
   * Tells the workers that a run is waiting.
   *
   * @param publishCount distinguishes this job from earlier jobs of the same run, which would be deduplicated
   * @throws Error if the queue does not accept it within a second
   */
  announce(job: ScanJob, publishCount?: number): Promise<void>;
  /** Whether it accepts announcements now, which means that Redis accepts writes. Waits for at most a second. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ScanWorker {
  /**
   * On Postgres, resolves when the first connection is established. BullMQ doesn't retry it, so if it fails, the process
   * must end, or it would never work. On Redis it resolves immediately, because BullMQ reconnects.
   *
   * @throws Error if Postgres can't be reached or the queue's tables are missing
   */
  started(): Promise<void>;
  /**
   * Accepts no new jobs and waits for the running ones. With `force` it doesn't wait, even if another close is waiting.
   */
  close(force: boolean): Promise<void>;
}

export function openScanQueue(backend: QueueBackend, events: QueueEvents): ScanQueue {
  const { onError, onUsable = () => undefined } = events;
  let underWay = 0;
  let nextProbe: NodeJS.Timeout | undefined;
  let isClosed = false;
  const { queue, probe, reconnect, disconnect } = openQueue(backend, failed);
  const ask = createCommandRunner({ reconnect, onUsable, onFailed: failed });

  function failed(error: unknown): void {
    onError(toError(error));
    if (isClosed || nextProbe !== undefined) return;
    nextProbe = setTimeout(() => {
      nextProbe = undefined;
      void scanQueue.isUsable();
    }, PROBE_EVERY_MS).unref();
  }

  const scanQueue: ScanQueue = {
    started: async () => {
      if (backend.redisUrl === undefined) await queue.waitUntilReady();
    },
    async announce(job, publishCount = 0) {
      if (underWay >= ANNOUNCEMENTS_MAX) throw new Error("too many announcements are under way");
      underWay++;
      try {
        await ask(() => queue.add("persist-scan", job, jobOptions(job, publishCount)));
      } finally {
        underWay--;
      }
    },
    isUsable: () =>
      ask(probe).then(
        () => true,
        () => false,
      ),
    async close() {
      isClosed = true;
      clearTimeout(nextProbe);
      await withTimeout(queue.close()).catch(onError);
      disconnect();
    },
  };
  return scanQueue;
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

/** Runs `work` for each job, at most `concurrency` concurrently. */
export function openScanWorker(
  backend: QueueBackend,
  options: QueueEvents & { concurrency: number },
  work: (job: ScanJob) => Promise<void>,
): ScanWorker {
  const workerOptions = {
    concurrency: options.concurrency,
    lockDuration: 30_000,
    stalledInterval: 15_000,
    // BullMQ's delay of 15 s after a failure can't be interrupted, neither by the queue's recovery nor by a close.
    runRetryDelay: 1_000,
  };
  const { onError, onUsable = () => undefined } = options;
  const { worker, disconnect } = openWorker(backend, workerOptions, { onError, onUsable }, work);
  worker.on("error", onError);
  // Both come from a script that writes.
  worker.on("active", onUsable);
  worker.on("drained", onUsable);
  const forced = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const close = async () => {
    // BullMQ's own close can't be forced once it waits, and for an unavailable server it waits forever.
    await Promise.race([worker.close(false).catch(onError), forced.promise]);
    disconnect();
  };
  return {
    started: async () => {
      if (backend.redisUrl === undefined) await worker.waitUntilReady();
    },
    async close(force) {
      if (force) forced.resolve();
      await (closing ??= close());
    },
  };
}

function jobOptions(job: ScanJob, publishCount: number) {
  // Finished jobs are removed immediately: the run's row is the record. A failed job needs no retry: the run stays due, and
  // is claimed after the next job or by a worker's reconciler.
  return {
    jobId: `${job.scanRunId}-${publishCount}`,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}

function openQueue(backend: QueueBackend, onError: (error: Error) => void) {
  if (backend.redisUrl === undefined) {
    const pool = openPostgresPool(backend.databaseUrl, onError);
    const queue = new PostgresQueue<ScanJob>(QUEUE_NAME, { connection: pool });
    queue.on("error", onError);
    return {
      queue,
      probe: () => queue.getWaitingCount(),
      reconnect: () => undefined,
      disconnect: () => void pool.end().catch(onError),
    };
  }
  // No offline queue and a time limit on each command: a request must never wait for a dead Redis.
  const connection = connectRedis(backend.redisUrl, onError, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  // The version check would be the first command and its failure final, but Redis may start after this process.
  const options: QueueOptions = { connection, skipWaitingForReady: true, skipVersionCheck: true };
  const queue = new Queue<ScanJob>(QUEUE_NAME, options);
  queue.on("error", onError);
  return {
    queue,
    // A read would also succeed on a replica or a full server.
    probe: () => connection.set(PROBE_KEY, "", "PX", COMMAND_TIMEOUT_MS),
    // In every other state it is already reconnecting.
    reconnect: () => {
      if (connection.status === "ready") connection.disconnect(true);
    },
    disconnect: () => connection.disconnect(),
  };
}

function openWorker(
  backend: QueueBackend,
  options: Omit<WorkerOptions, "connection">,
  events: Required<QueueEvents>,
  work: (job: ScanJob) => Promise<void>,
) {
  if (backend.redisUrl === undefined) {
    const { onError } = events;
    const pool = openPostgresPool(backend.databaseUrl, onError);
    const worker = new PostgresWorker<ScanJob>(QUEUE_NAME, (job) => work(job.data), {
      ...options,
      connection: pool,
    });
    return { worker, disconnect: () => void pool.end().catch(onError) };
  }
  const connection = connectRedis(backend.redisUrl, events.onError, { maxRetriesPerRequest: null });
  connection.on("ready", events.onUsable);
  const worker = new Worker<ScanJob>(QUEUE_NAME, (job) => work(job.data), { ...options, connection });
  return { worker, disconnect: () => connection.disconnect() };
}

const { Queue: PostgresQueue, Worker: PostgresWorker } = withBackend(createPostgresBackend);

function openPostgresPool(databaseUrl: string, onError: (error: Error) => void): PgPool {
  // BullMQ accepts pg's pool. Only the types of listeners differ: BullMQ declares overloads, pg a generic.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return createQueuePool(databaseUrl, { max: POSTGRES_CONNECTIONS_MAX, onError }) as unknown as PgPool;
}

function connectRedis(redisUrl: string, onError: (error: Error) => void, options: RedisOptions): Redis {
  const connection = new Redis(redisUrl, {
    connectTimeout: 5_000,
    keepAlive: KEEP_ALIVE_MS,
    ...createReconnectOptions(),
    ...options,
  });
  connection.on("error", onError);
  return connection;
}

class QueueTimeout extends Error {}

/** This module's time-out, or that of ioredis for a single command. */
function isTimeout(error: unknown): boolean {
  return error instanceof QueueTimeout || (error instanceof Error && error.message === "Command timed out");
}

async function withTimeout<T>(promise: Promise<T>): Promise<T> {
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
