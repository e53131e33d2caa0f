import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Check, type Figures, mustBe } from "../check.ts";
import type { Fleet } from "../fleet.ts";
import { processorMsOf } from "../processor-time.ts";
import { docker } from "../run.ts";
import { sendScans } from "../scans.ts";

const WORKERS = [1, 2, 4] as const;
/** The share of a core that each worker may use: four of them leave most of two cores to Postgres. */
const SHARE = 0.1;
const SCANS_PER_WORKER = 1_200;
/** Scans sent before, because a new process compiles its code as it runs: with a tenth of a core that takes seconds. */
const WARMING_SCANS_PER_WORKER = 150;
const TOLERANCE = 0.2;
const PERSISTED_MS_MAX = 180_000;

export const scaling: Check = {
  title: "Workers are added",
  what: `The kernel holds each worker to ${SHARE} of a core. ${SCANS_PER_WORKER} new scans for each worker are accepted while the workers are paused; then all workers begin at once. What n workers persist per second must be n times what one does, within ${TOLERANCE * 100} %.`,
  async run(fleet) {
    const rates: number[] = [];
    const figures: Figures = {};
    for (const count of WORKERS) {
      const { perSecond, share } = await measure(fleet, count);
      rates.push(perSecond);
      const quotient = perSecond / (count * (rates[0] ?? perSecond));
      figures[`persisted per second, workers: ${count}`] = Math.round(perSecond * 10) / 10;
      figures[`of ${count} × one worker`] = `${Math.round(quotient * 100)} %`;
      figures[`of a core, each of ${count}`] = Math.round(share * 1_000) / 1_000;
      mustBe(`whether ${count} workers use at most their share`, share < SHARE * 1.1, true);
      const isLinear = Math.abs(quotient - 1) <= TOLERANCE;
      mustBe(`whether ${count} workers are linear (${JSON.stringify(figures)})`, isLinear, true);
    }
    await fleet.up();
    return figures;
  },
};

async function measure(fleet: Fleet, count: number): Promise<{ perSecond: number; share: number }> {
  await fleet.compose([
    "up",
    "--detach",
    "--no-deps",
    "--no-recreate",
    "--scale",
    `worker=${count}`,
    "worker",
  ]);
  await fleet.untilHealthy("worker");
  const workers = await fleet.containersOf("worker");
  mustBe("workers", workers.length, count);
  await sendScans(fleet, count * WARMING_SCANS_PER_WORKER, { service: `warming-${count}`, services: 500 });
  await untilPersisted(fleet, `warming-${count}`);
  await docker("pause", ...workers);
  const service = `scaling-${count}`;
  try {
    // Batches that are persisted at the same time share no service, whose row they would wait for.
    await sendScans(fleet, count * SCANS_PER_WORKER, { service, services: 500 });
  } finally {
    await docker("update", "--cpus", String(SHARE), ...workers);
    await docker("unpause", ...workers);
  }
  const before = { ms: await processorMsOf(workers), at: performance.now() };
  await untilPersisted(fleet, service);
  const after = { ms: await processorMsOf(workers), at: performance.now() };
  await docker("update", "--cpus", String(cpus().length), ...workers);
  const share = (after.ms - before.ms) / (after.at - before.at) / count;
  return { perSecond: await rateOf(fleet, service), share };
}

const runsOf = (service: string) =>
  `scan_runs WHERE service_id IN (SELECT id FROM services WHERE name LIKE '${service}-%')`;

async function untilPersisted(fleet: Fleet, service: string): Promise<void> {
  const deadline = Date.now() + PERSISTED_MS_MAX;
  const left = async () =>
    Number(await fleet.sql(`SELECT count(*) FROM ${runsOf(service)} AND status <> 'completed'`));
  for (;;) {
    if ((await left()) === 0) return;
    if (Date.now() > deadline) throw new Error(`${await left()} scans are left after ${PERSISTED_MS_MAX} ms`);
    // Asking takes processor time from what is measured.
    await sleep(2_000);
  }
}

/** By the straight line through all completions but the first and last tenth: runs are completed in batches. */
async function rateOf(fleet: Fleet, service: string): Promise<number> {
  return Number(
    await fleet.sql(`
      SELECT regr_slope(n, extract(epoch FROM completed_at)) FROM (
        SELECT completed_at, row_number() OVER (ORDER BY completed_at, id) AS n, count(*) OVER () AS total
        FROM ${runsOf(service)}) AS runs
      WHERE n BETWEEN total * 0.1 AND total * 0.9`),
  );
}
