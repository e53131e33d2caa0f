import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireRedis } from "@waymark/test-support/redis.ts";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import {
  createHostedOrganization,
  type Organization,
  QUEUES,
  startApiProcess,
  startWorkerProcess,
  type TestApi,
} from "@waymark/test-support/stack.ts";
import { type Cut, startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { recordFigures } from "./support/figures.ts";
import { reckon } from "./support/recount.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { startScanStream } from "./support/scan-stream.ts";
import { untilAllFinal } from "./support/submit.ts";

const CUTS = scaled({ short: 16, long: 500 });
const ACCEPTED_MIN = 20;
/** The share of messages to Postgres after which the connection is cut. */
const CUT_SHARE = 0.06;

beforeAll(announceSeed);

describe.each(QUEUES)("connections to Postgres that are cut while they are used, queue: %s", (queue) => {
  const started = new AsyncDisposableStack();
  const random = createRandom(`cuts ${queue}`);
  const cuts = { before: 0, after: 0, inTransaction: 0 };
  let isCutting = false;
  let database: TestDatabase;
  let organization: Organization;
  let api: TestApi;
  let worker: ServiceProcess;
  beforeAll(async () => {
    database = started.use(await createTestDatabase());
    organization = await createHostedOrganization(database.databaseUrl);
    const redisUrl = queue === "redis" ? started.use(await requireRedis()).url : undefined;
    const inTransaction = new WeakSet<object>();
    const proxy = started.use(
      await startTcpProxy(database.databaseUrl, {
        onSent(chunk, connection): Cut | undefined {
          const text = chunk.toString("latin1");
          if (/BEGIN|START TRANSACTION/.test(text)) inTransaction.add(connection);
          else if (/COMMIT|ROLLBACK/.test(text)) inTransaction.delete(connection);
          if (!isCutting || random.next() > CUT_SHARE) return undefined;
          const cut = random.pick<Cut>(["before", "after"]);
          cuts[cut]++;
          if (inTransaction.has(connection)) cuts.inTransaction++;
          return cut;
        },
      }),
    );
    const addresses = { databaseUrl: proxy.url, redisUrl };
    api = started.use(await startApiProcess(addresses));
    const env = { WORKER_LEASE_MS: "2000", WORKER_RECONCILE_MS: "300" };
    worker = started.use(await startWorkerProcess({ ...addresses, env }));
  });
  afterAll(() => started.disposeAsync());

  it("lose nothing and duplicate nothing", { timeout: 300_000 + CUTS * 1_000 }, async () => {
    const stream = startScanStream({
      baseUrls: [api.baseUrl],
      organizations: [organization],
      clients: 6,
      pauseMs: 100,
    });
    isCutting = true;
    await waitUntil("all cuts", () => cuts.before + cuts.after >= CUTS, { withinMs: 180_000 + CUTS * 1_000 });
    isCutting = false;
    await waitUntil("enough scans", () => (stream.statuses()["201"] ?? 0) > ACCEPTED_MIN);
    const sent = await stream.stop();
    const settledMs = await untilAllFinal(database, { limitMs: 60_000 });
    const result = await reckon(database, sent);
    recordFigures(`Cut connections, queue: ${queue}`, {
      "connections cut": cuts.before + cuts.after,
      "cut before Postgres had the message": cuts.before,
      "cut before its answer came": cuts.after,
      "of those between BEGIN and COMMIT": cuts.inTransaction,
      "scans sent": sent.length,
      ...Object.fromEntries(
        Object.entries(stream.statuses()).map(([status, count]) => [`answers ${status}`, count]),
      ),
      accepted: result.accepted,
      "accepted and lost": result.acceptedAndLost,
      "duplicate rows": result.duplicates,
      "not final after 60 s": result.notFinal,
      "false completed": result.falseCompleted,
      "ended as failed": result.failed,
      "last run final after (ms)": settledMs,
    });
    expect(stream.wrongAnswers()).toEqual([]);
    expect(result).toMatchObject({
      acceptedAndLost: 0,
      duplicates: 0,
      notFinal: 0,
      falseCompleted: 0,
      failed: 0,
      wrongCurrent: 0,
    });
    expect(result.accepted).toBeGreaterThan(ACCEPTED_MIN);
    for (const service of [api, worker]) expect(service.output()).not.toContain("uncaught error");
  });
});
