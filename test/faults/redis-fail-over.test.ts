import { Redis } from "ioredis";
import { listRedisServers } from "@waymark/server/lib/redis/servers.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { announceSeed, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import {
  createHostedOrganization,
  type Organization,
  startApiProcess,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { recordFigures } from "./support/figures.ts";
import { reckon } from "./support/recount.ts";
import { REDIS_GROUPS } from "./support/redis-groups.ts";
import type { SentScan } from "./support/scan-stream.ts";
import { inParallel, submitAsCommand, untilAllFinal } from "./support/submit.ts";

const SCANS = scaled({ short: 20, long: 2_000 });
const NOTHING_WRONG = { acceptedAndLost: 0, duplicates: 0, notFinal: 0, falseCompleted: 0, failed: 0 };

beforeAll(() => {
  announceSeed();
});

describe.each([
  { kind: "sentinel" as const, events: "bull:scan-persistence:events" },
  { kind: "sentinel with TLS" as const, events: "bull:scan-persistence:events" },
  { kind: "cluster" as const, events: "{bull}:scan-persistence:events" },
  { kind: "cluster with TLS" as const, events: "{bull}:scan-persistence:events" },
])("Redis as a $kind", ({ kind, events }) => {
  it(
    "fails over: every scan is accepted and completed, and the queue goes on with the new primary",
    {
      timeout: scaled({ short: 300_000, long: 1_200_000 }),
    },
    async () => {
      await using group = await REDIS_GROUPS[kind]();
      await using database = await createTestDatabase();
      const { databaseUrl } = database;
      const organization = await createHostedOrganization(databaseUrl);
      const ports = [await findFreePort(), await findFreePort()] as const;
      const started = (port: number) => ({
        databaseUrl,
        redisUrl: group.url,
        env: { ...group.env, METRICS_PORT: String(port), RATE_LIMIT_INGEST_PER_MINUTE: "100000" },
      });
      await using api = await startApiProcess(started(ports[0]));
      await using worker = await startWorkerProcess(started(ports[1]));
      const http = createHttpClient(api.baseUrl, { key: organization.apiKey });
      const usable = () =>
        Promise.all(ports.map(async (port) => (await scrape(port)).value("waymark_queue_usable")));

      await expect.poll(usable).toEqual([1, 1]);
      const sent = await submitMany({ http, organization }, "before");
      await untilAllFinal({ databaseUrl }, { limitMs: 60_000 });
      expect(await jobsDone(group.primary.url, events)).toBeGreaterThan(0);

      await group.primary.kill();
      const killedAt = Date.now();
      sent.push(...(await submitMany({ http, organization }, "meanwhile")));
      const successor = await group.successor();
      const promotedAt = Date.now();
      await expect.poll(usable, { timeout: 60_000 }).toEqual([1, 1]);
      const usableAt = Date.now();
      const jobsBefore = await jobsDone(successor.url, events);
      sent.push(...(await submitMany({ http, organization }, "after")));
      const finalMs = await untilAllFinal({ databaseUrl }, { limitMs: 60_000 });

      const result = await reckon({ databaseUrl }, sent);
      recordFigures(`Redis as a ${kind}: the primary is killed`, {
        "scans sent": sent.length,
        accepted: result.accepted,
        completed: result.completed,
        "accepted and lost": result.acceptedAndLost,
        "another primary after (ms)": promotedAt - killedAt,
        "queue used again after the promotion (ms)": usableAt - promotedAt,
        "all completed after the last scan (ms)": finalMs,
      });
      expect(result).toMatchObject({ ...NOTHING_WRONG, completed: sent.length });
      await expect
        .poll(() => jobsDone(successor.url, events), { timeout: 30_000 })
        .toBeGreaterThan(jobsBefore);
      // Journeys must not reach any of them.
      const known = await listRedisServers(group.url);
      for (const port of group.unnamed) expect(known).toContainEqual({ host: "127.0.0.1", port });
      for (const service of [api, worker])
        expect(service.output()).not.toMatch(/a(?: |%20)password(?: |%20)with/);
    },
  );
});

async function submitMany(
  { http, organization }: { http: HttpClient; organization: Organization },
  name: string,
): Promise<SentScan[]> {
  const sent: SentScan[] = [];
  await inParallel({ total: SCANS, atOnce: 4 }, async (number) => {
    const payload = scanPayload({ serviceName: `service ${number % 5}`, seed: `${name} ${number}` });
    const answer = await submitAsCommand({ http, organizationId: organization.organizationId }, payload);
    expect(answer.status).toBe(201);
    sent.push(answer.sent);
  });
  return sent;
}

/** How many jobs the workers have ended on this server. */
async function jobsDone(url: string, events: string): Promise<number> {
  const redis = new Redis(url);
  try {
    const found = await redis.xrange(events, "-", "+");
    return found.filter(([, fields]) => fields.includes("completed")).length;
  } finally {
    redis.disconnect();
  }
}
