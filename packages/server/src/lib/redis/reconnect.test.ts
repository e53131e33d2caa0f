import { describe, expect, it } from "vitest";
import { createReconnectOptions } from "./reconnect.ts";

describe("a Redis connection", () => {
  it.each([
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_1): @user_script:7: -READONLY You can't write against a read only replica.",
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "OOM command not allowed when used memory > 'maxmemory'. script: 1, on @user_script:11.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "NOREPLICAS Not enough good replicas to write.",
  ])("is dropped after %s", (message) => {
    expect(createReconnectOptions().reconnectOnError(new Error(message))).toBe(true);
  });

  it.each(["NOSCRIPT No matching script.", "WRONGTYPE Operation against a key", "ERR value is not a number"])(
    "is kept after %s",
    (message) => {
      expect(createReconnectOptions().reconnectOnError(new Error(message))).toBe(false);
    },
  );

  it("is reopened with growing pauses while every new one is refused, and quickly in the next outage", () => {
    const clock = { ms: 0 };
    const options = createReconnectOptions(() => clock.ms);
    const delays: number[] = [];
    for (let n = 0; n < 40; n++) {
      options.reconnectOnError(new Error("READONLY You can't write against a read only replica."));
      delays.push(options.retryStrategy(1));
      clock.ms += 2_000;
    }
    expect(delays[0]).toBe(100);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays.at(-1)).toBe(2_000);

    clock.ms += 60_000;
    expect(options.retryStrategy(1)).toBe(100);
    options.reconnectOnError(new Error("READONLY You can't write against a read only replica."));
    expect(options.retryStrategy(1)).toBe(100);
  });

  it("is retried with pauses of at most two seconds while there is no server", () => {
    expect([1, 5, 1_000].map(createReconnectOptions().retryStrategy)).toEqual([100, 500, 2_000]);
  });
});
