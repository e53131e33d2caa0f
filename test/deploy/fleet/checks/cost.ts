import { setTimeout as sleep } from "node:timers/promises";
import { type Check, type Figures, mustBe } from "../check.ts";
import type { Fleet } from "../fleet.ts";
import { processorMsOf } from "../processor-time.ts";
import { countByStatus, sendScans } from "../scans.ts";

const SCANS = 1_000;
const IDLE_MS = 10_000;
const SETTLED_MS = 5_000;
const SERVICES = ["api", "worker", "postgres", "redis", "load-balancer"] as const;

type Service = (typeof SERVICES)[number];
type Containers = Record<Service, string[]>;
/** The processor time that each service's containers have used, and when that was read. */
type Spent = Record<Service, number> & { at: number };

export const cost: Check = {
  title: "What a scan costs",
  what: `Processor time of each service's containers for one scan of 40 endpoints and 10 findings, without what they use when nothing is to do: ${SCANS} new scans until they are persisted, then the same ones again.`,
  async run(fleet) {
    const pairs = SERVICES.map(async (service) => [service, await fleet.containersOf(service)] as const);
    const containers = Object.fromEntries(await Promise.all(pairs)) as Containers;
    await sleep(SETTLED_MS);
    const before = await readSpent(containers);
    await sleep(IDLE_MS);
    const idle = between(before, await readSpent(containers));
    const figures: Figures = {};
    for (const kind of ["new", "repeated"] as const) {
      const spent = await measure(fleet, containers);
      const ofScan = (service: Service) => (spent[service] - idle[service] * (spent.at / idle.at)) / SCANS;
      for (const service of SERVICES) figures[`${kind}: ${service} (ms)`] = round(ofScan(service));
      figures[`${kind}: all (ms)`] = round(SERVICES.reduce((sum, service) => sum + ofScan(service), 0));
    }
    return figures;
  },
};

const round = (ms: number) => Math.round(ms * 100) / 100;

async function measure(fleet: Fleet, containers: Containers): Promise<Spent> {
  const before = await readSpent(containers);
  const sent = await sendScans(fleet, SCANS, { service: "cost", services: SCANS });
  // Asking whether all are completed would cost what is measured.
  await sleep(SETTLED_MS);
  const spent = between(before, await readSpent(containers));
  mustBe("completed scans", (await countByStatus(fleet, sent))["completed"], SCANS);
  return spent;
}

async function readSpent(containers: Containers): Promise<Spent> {
  const pairs = SERVICES.map(async (service) => [service, await processorMsOf(containers[service])] as const);
  return {
    ...(Object.fromEntries(await Promise.all(pairs)) as Record<Service, number>),
    at: performance.now(),
  };
}

function between(before: Spent, after: Spent): Spent {
  const pairs = ([...SERVICES, "at"] as const).map((name) => [name, after[name] - before[name]] as const);
  return Object.fromEntries(pairs) as Spent;
}
