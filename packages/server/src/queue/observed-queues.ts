import { Queue } from "bullmq";
import { openRedis } from "./backend.ts";
import { JOURNEY_QUEUE } from "./journey-queue.ts";
import { SCAN_QUEUE } from "./scan-queue.ts";

const COMMAND_TIMEOUT_MS = 5_000;

export interface ObservedQueues {
  queues: readonly Queue[];
  close(): Promise<void>;
}

/** The queues on Redis, for looking at them: over a connection of their own, so that announcements don't wait for it. */
export function openObservedQueues(redisUrl: string, onError: (error: Error) => void): ObservedQueues {
  const { connection, prefix } = openRedis(redisUrl, onError, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  const queues = [SCAN_QUEUE, JOURNEY_QUEUE].map(({ queueName }) => {
    const queue = new Queue(queueName, {
      connection,
      prefix,
      skipWaitingForReady: true,
      skipVersionCheck: true,
    });
    queue.on("error", onError);
    return queue;
  });
  return {
    queues,
    async close() {
      await Promise.allSettled(queues.map((queue) => queue.close()));
      connection.disconnect();
    },
  };
}
