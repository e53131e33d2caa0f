import { setTimeout as sleep } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import { type Backlog, BACKLOG_COUNT_MAX, JOURNEY_COUNT_MAX } from "./queries.ts";

const SAMPLE_EVERY_MS = 10_000;
/** How long a scrape waits for a sample; after that it gets the previous one. */
const SCRAPE_WAIT_MS = 1_000;
/** Older samples are not shown, so that outdated figures don't look like an idle queue. */
const SAMPLE_AGE_MAX_MS = 60_000;

/**
 * The backlog of all organizations, sampled on scrapes: at most one query every ten seconds and never two concurrently,
 * regardless of the number of scrapes and the database's speed.
 */
export function registerBacklogMetrics(
  registry: Registry,
  sample: () => Promise<Backlog>,
  { now = Date.now }: { now?: () => number } = {},
): void {
  const failures = new Counter({
    name: "waymark_backlog_samples_failed_total",
    help: "Failed attempts to read the backlog from Postgres.",
    registers: [registry],
  });
  let last: { backlog: Backlog; at: number } | undefined;
  let triedAt = -Infinity;
  let underWay: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    if (underWay === undefined && now() - triedAt >= SAMPLE_EVERY_MS) {
      triedAt = now();
      underWay = sample()
        .then(
          (backlog) => void (last = { backlog, at: now() }),
          () => failures.inc(),
        )
        .finally(() => (underWay = undefined));
    }
    if (underWay !== undefined)
      await Promise.race([underWay, sleep(SCRAPE_WAIT_MS, undefined, { ref: false })]);
  };

  registerGauges(registry, async () => {
    await refresh();
    return last === undefined || now() - last.at > SAMPLE_AGE_MAX_MS ? undefined : last.backlog;
  });
}

/** @param read gives undefined where nothing recent is known */
function registerGauges(registry: Registry, read: () => Promise<Backlog | undefined>): void {
  const gauge = (name: string, help: string, value: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const backlog = await read();
        this.set(backlog === undefined ? Number.NaN : value(backlog));
      },
    });
  gauge(
    "waymark_unfinished_scan_runs",
    `Scan runs that wait for a worker, of all organizations. Counts up to ${BACKLOG_COUNT_MAX}.`,
    ({ scans }) => scans.unfinished,
  );
  gauge(
    "waymark_oldest_unfinished_scan_run_age_seconds",
    "Time since the oldest unfinished scan run was accepted; 0 if there is none.",
    ({ scans }) => scans.oldestAgeSeconds,
  );
  gauge(
    "waymark_unfinished_journey_runs",
    `Runs of journeys that have not ended, of all organizations. Counts up to ${JOURNEY_COUNT_MAX}.`,
    ({ journeys }) => journeys.unfinished,
  );
  gauge(
    "waymark_waiting_journey_runs",
    "Those of them that no worker has.",
    ({ journeys }) => journeys.waiting,
  );
  gauge(
    "waymark_journey_runs_oldest_waiting_seconds",
    "How long the oldest of those has waited whose organization has fewer at work than it may; 0 if there is none.",
    ({ journeys }) => journeys.oldestWaitingSeconds,
  );
}
