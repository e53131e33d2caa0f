import { setTimeout as sleep } from "node:timers/promises";
import { type Check, mustBe } from "../check.ts";
import { countByStatus, sendScan, type SentScan, untilCompleted } from "../scans.ts";

const AWAY_MS = 60_000;
const EVERY_MS = 200;
/** A scan that was sent longer ago than this must be persisted before Redis is back. */
const PERSISTED_WITHIN_MS = 3_000;

export const redisOutage: Check = {
  title: "Redis is stopped for 60 s",
  what: "Meanwhile a scan is sent every 200 ms. Every one must be accepted at once, and persisted before Redis is started again; no container may become unhealthy.",
  async run(fleet) {
    await fleet.compose(["stop", "redis"]);
    const sent: SentScan[] = [];
    const end = Date.now() + AWAY_MS;
    for (let index = 0; Date.now() < end; index++) {
      sent.push(await sendScan(fleet, index));
      await sleep(EVERY_MS);
    }
    await sleep(PERSISTED_WITHIN_MS);
    const meanwhile = await countByStatus(fleet, sent);
    for (const service of ["api", "worker"]) await fleet.untilHealthy(service);
    await fleet.compose(["start", "redis"]);
    mustBe("scans persisted without Redis", meanwhile["completed"], sent.length);
    mustBe("scans that were refused first", sent.filter(({ attempts }) => attempts > 1).length, 0);
    const after = await sendScan(fleet, sent.length);
    const { completed } = await untilCompleted(fleet, [after]);
    mustBe("scans completed with Redis again", completed, 1);
    return {
      "away (s)": AWAY_MS / 1000,
      "scans sent meanwhile": sent.length,
      "accepted at the first attempt": sent.length,
      "slowest answer (ms)": Math.round(Math.max(...sent.map(({ tookMs }) => tookMs))),
      "persisted before Redis was back": meanwhile["completed"] ?? 0,
    };
  },
};
