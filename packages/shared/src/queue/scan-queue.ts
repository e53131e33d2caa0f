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
/** Announcements under way at once; what comes above that is left to the workers' reconcilers. */
const ANNOUNCEMENTS_MAX = 1_000;
/** After so many time-outs in a row the connection is made anew: its server may have gone without closing it. */
const TIMEOUTS_MAX = 3;
/** While the queue can't be used it is asked this often whether it is back. */
const PROBE_EVERY_MS = 1_000;
/** Written and forgotten, to learn whether Redis takes writes. */
const PROBE_KEY = "waymark:queue-probe";
/** Idle connections to a server that has gone without closing them are noticed this much later, and 10 s. */
const KEEP_ALIVE_MS = 10_000;

/** Of a queue and of a worker each, which also listens on one. */
const POSTGRES_CONNECTIONS_MAX = 5;

/** A hint that a run waits. It carries ids only: Postgres is the truth, and a lost job costs nothing but time. */
export interface ScanJob {
  organizationId: string;
  scanRunId: string;
}

/** BullMQ on Redis where `redisUrl` is set, on Postgres otherwise: the same code on both. */
export interface QueueBackend {
  redisUrl: string | undefined;
  /** A direct connection: the Postgres backend uses LISTEN, which a pooler in transaction mode can't carry. */
  databaseUrl: string;
}

export interface QueueEvents {
  /** A connection or a command failed. Called again and again as long as the queue is away. */
  onError: (error: Error) => void;
  /** A connection came about, or a command got through. */
  onUsable?: () => void;
}

export interface ScanQueue {
  /** See {@link ScanWorker.started}. */
  started(): Promise<void>;
  /**
   * Tells the workers that a run waits.
   *
   * @param publishCount makes another job of the same run, which an old one can't swallow
   * @throws Error when the queue does not take it within a second
   */
  announce(job: ScanJob, publishCount?: number): Promise<void>;
  /** Whether it takes announcements now: Redis must take a write for that. Waits for at most a second. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ScanWorker {
  /**
   * On Postgres: whether the first connection came about. BullMQ never tries that one again, so a process whose first
   * one failed must end, or it would live on without ever working. On Redis it resolves at once: a Redis that starts
   * later is found.
   *
   * @throws Error when Postgres can't be reached or the queue's tables are missing
   */
  started(): Promise<void>;
  /**
   * Takes no new job and waits for those under way. Closing with `force`, also while another close waits, waits no
   * longer.
   */
  close(force: boolean): Promise<void>;
}

export function openScanQueue(backend: QueueBackend, events: QueueEvents): ScanQueue {
  const { onError, onUsable = () => undefined } = events;
  let underWay = 0;
  let timeouts = 0;
  let nextProbe: NodeJS.Timeout | undefined;
  let isClosed = false;
  const { queue, probe, reconnect, disconnect } = openQueue(backend, failed);

  function failed(error: unknown): void {
    onError(toError(error));
    if (isClosed || nextProbe !== undefined) return;
    nextProbe = setTimeout(() => {
      nextProbe = undefined;
      void scanQueue.isUsable();
    }, PROBE_EVERY_MS).unref();
  }

  /** @throws what `command` rejects with, or that it took too long */
  async function ask(command: () => Promise<unknown>): Promise<void> {
    try {
      await withTimeout(command());
      timeouts = 0;
      onUsable();
    } catch (error) {
      timeouts = isTimeout(error) ? timeouts + 1 : 0;
      if (timeouts > 0 && timeouts % TIMEOUTS_MAX === 0) reconnect();
      failed(error);
      throw error;
    }
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

/** Runs `work` for each job, at most `concurrency` at once. */
export function openScanWorker(
  backend: QueueBackend,
  options: QueueEvents & { concurrency: number },
  work: (job: ScanJob) => Promise<void>,
): ScanWorker {
  const workerOptions = {
    concurrency: options.concurrency,
    lockDuration: 30_000,
    stalledInterval: 15_000,
    // BullMQ's own 15 s after a failure can't be cut short: neither by a queue that is back nor by a close.
    runRetryDelay: 1_000,
  };
  const { onError, onUsable = () => undefined } = options;
  const { worker, disconnect } = openWorker(backend, workerOptions, { onError, onUsable }, work);
  worker.on("error", onError);
  // Both come of a script that has written, or would have.
  worker.on("active", onUsable);
  worker.on("drained", onUsable);
  const forced = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const close = async () => {
    // BullMQ's own close can't be forced any more once it waits, and it waits for ever for a server that is away.
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
  // Finished jobs are removed at once: the run's row is the record. A job's own failure needs no retry either,
  // since the run stays due and is claimed after the next job, or by a worker's reconciler.
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
  // The version check would be that first command, and its failure final: a Redis that starts after us must do.
  const options: QueueOptions = { connection, skipWaitingForReady: true, skipVersionCheck: true };
  const queue = new Queue<ScanJob>(QUEUE_NAME, options);
  queue.on("error", onError);
  return {
    queue,
    // A read would succeed on a replica, and on a server that is full.
    probe: () => connection.set(PROBE_KEY, "", "PX", COMMAND_TIMEOUT_MS),
    // In every other state it is on its way to a new connection already.
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
  // BullMQ takes pg's pool; only that it writes the listeners' types as overloads, and pg as a generic, differs.
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

/** Ours, or ioredis' own of a single command, whichever comes first. */
function isTimeout(error: unknown): boolean {
  return error instanceof QueueTimeout || (error instanceof Error && error.message === "Command timed out");
}

async function withTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new QueueTimeout(`the queue did not answer within ${COMMAND_TIMEOUT_MS} ms`)),
      COMMAND_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
