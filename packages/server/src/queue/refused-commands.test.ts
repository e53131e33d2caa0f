import { randomUUID } from "node:crypto";
import { requireRedis } from "@waymark/test-support/redis.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { openWakeUpWorker } from "./wake-up-worker.ts";

test("a worker whose commands are refused asks again with pauses, and works once they are allowed", async () => {
  await using redis = await requireRedis();
  const admin = new Redis(redis.url);
  const [user, password] = [`limited-${randomUUID()}`, randomUUID()];
  const allow = (...rules: string[]) => admin.call("ACL", "SETUSER", user, ...rules);
  await allow("on", `>${password}`, "~*", "&*", "+@all", "-evalsha", "-eval");
  const errors: string[] = [];
  const allowed = Promise.withResolvers<void>();
  let isAllowed = false;
  const worker = openWakeUpWorker(
    { queueName: `refused-${randomUUID()}` },
    {
      redisUrl: Object.assign(new URL(redis.url), { username: user, password }).href,
      databaseUrl: "",
    },
    {
      concurrency: 2,
      work: async () => undefined,
      onError: ({ message }) => errors.push(message),
      onUsable: () => {
        if (isAllowed) allowed.resolve();
      },
    },
  );
  try {
    await expect.poll(() => errors.length, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(errors.join("\n")).toContain("NOPERM");
    // Without pauses, thousands follow each other before a timer gets its turn.
    expect(errors.length).toBeLessThan(30);
    isAllowed = true;
    await allow("+evalsha", "+eval");
    await allowed.promise;
  } finally {
    await worker.close(true);
    await admin.call("ACL", "DELUSER", user);
    await admin.quit();
  }
});
