import { createLogger } from "@waymark/server/lib/logger.ts";
import { openQueues } from "@waymark/server/queue/queues.ts";
import { expect, it } from "vitest";
import { createAnnouncer } from "./announce.ts";

it("a failed announcement is counted, and its log line names the request and the run", async () => {
  const lines: string[] = [];
  const logger = createLogger({ service: "api", level: "debug" }, { write: (line) => void lines.push(line) });
  // Nobody listens on port 1.
  const backend = { redisUrl: "redis://127.0.0.1:1", databaseUrl: "postgres://127.0.0.1:1/none" };
  const queues = openQueues(backend, { onError: () => undefined });
  let failed = 0;
  const announcer = createAnnouncer(
    { queue: queues.scans, logger, tracing: undefined },
    { onFailed: () => (failed += 1) },
  );

  announcer.announce({ organizationId: "an-organization", scanRunId: "a-run" }, "a-request");
  await announcer.settled();
  await queues.close();
  expect(failed).toBe(1);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ reqId: "a-request", scanRunId: "a-run" });
});
