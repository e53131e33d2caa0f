import { openQueues } from "@waymark/server/queue/queues.ts";
import { Redis } from "ioredis";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";

type QueueAddress = Pick<Stack, "databaseUrl" | "redisUrl" | "organizationId">;

/** Deletes everything in the queue. */
export async function emptyQueue(stack: QueueAddress): Promise<void> {
  if (stack.redisUrl === undefined) {
    await query(stack, "TRUNCATE bullmq.job CASCADE");
    return;
  }
  const redis = new Redis(stack.redisUrl);
  await redis.flushall();
  redis.disconnect();
}

/** Delivers a run's job `times` times more. */
export async function announceAgain(stack: QueueAddress, scanRunId: string, times: number): Promise<void> {
  const errors: Error[] = [];
  const queues = openQueues(stack, { onError: (error) => errors.push(error) });
  try {
    for (let n = 0; n < times; n++) {
      await announceWhenConnected(() =>
        queues.scans.announce({ organizationId: stack.organizationId, scanRunId }, 1000 + n),
      );
    }
  } finally {
    await queues.close();
  }
}

/** The first announcement may come before the connection is established: nothing waits for it, by design. */
async function announceWhenConnected(announce: () => Promise<void>, tries = 50): Promise<void> {
  try {
    await announce();
  } catch (error) {
    if (tries === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await announceWhenConnected(announce, tries - 1);
  }
}
