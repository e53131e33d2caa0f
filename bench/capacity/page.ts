import { markdownTable } from "@waymark/test-support/markdown-table.ts";
import { averageCost, type Cost, costsOf, type Measured, PROCESSES } from "./cost.ts";
import { HOURS_PER_MONTH, PRICES } from "./prices.ts";
import {
  BUSY_SHARE,
  DISK_BYTES_MAX,
  findShape,
  LOG_BYTES_PER_SECOND_MAX,
  type Shape,
  WAIT_S_MAX,
} from "./shape.ts";
import { WORKLOAD } from "./workload.ts";

const ORGANIZATIONS = [100, 10_000] as const;
const MILLION = 1e6;

/** docs/reports/capacity.md: computed from what was measured, with nothing else than prices and assumptions. */
export function capacityPage(measured: Measured): string {
  const costs = costsOf(measured);
  const average = averageCost(costs);
  const shapes = ORGANIZATIONS.map((count) => findShape(count, average));
  return [
    ...introduction(measured),
    ...measuredSection(costs),
    ...millionSection(average),
    ...shapeSection(shapes),
    ...notes,
    "",
  ].join("\n");
}

function introduction({ date, rounds, machine }: Measured): string[] {
  return [
    "# Capacity",
    "",
    "What large installations need, computed from measured figures. `node bench/capacity/main.ts` writes this page from",
    "[`figures.json`](../../bench/capacity/figures.json), which `npm run bench -- cost --json` measures; a test compares the two.",
    "",
    `- Measured: ${date.slice(0, 10)}, ${rounds} rounds, ${machine.processors} × ${machine.model}, Node ${machine.node.slice(1)}, Postgres 18, Redis 7`,
    `- Prices: ${PRICES.name}, ${PRICES.date} (${PRICES.links.map((link) => `<${link}>`).join(", ")}): $${PRICES.processorHour} for a processor with 4 GB and an hour (m7g), $${PRICES.diskGigabyteMonth} for a GB of gp3 and a month`,
  ];
}

function measuredSection(costs: ReadonlyMap<string, Cost>): string[] {
  const rows = [...costs].map(([subject, cost]) => [
    subject,
    ...PROCESSES.map((name) => decimals(cost[name])),
    kilobytes(cost.log),
    kilobytes(cost.disk),
  ]);
  return [
    "",
    "## What a scan costs",
    "",
    "Processor time in milliseconds until it is persisted, medians. A typical scan has 120 endpoints and 20 findings, a max one 2,000",
    "and 500. Evolving: 0.2 % of the items changed.",
    "",
    ...markdownTable(["scan", "api", "worker", "Postgres", "Redis", "log, KB", "disk, KB"], rows),
  ];
}

function millionSection(average: Cost): string[] {
  const seconds = PROCESSES.map((name) => (average[name] * MILLION) / 1_000);
  const all = seconds.reduce((sum, each) => sum + each, 0);
  const dollars = (all / 3_600 / BUSY_SHARE) * PRICES.processorHour;
  const disk = (average.disk * MILLION) / 1e9;
  const rows = [
    ...PROCESSES.map((name, index) => [`processor seconds, ${label(name)}`, whole(seconds[index] ?? 0)]),
    ["processor seconds, all", whole(all)],
    [`processors, busy for ${BUSY_SHARE * 100} % of the time`, `$${decimals(dollars)}`],
    ["write-ahead log, GB", decimals((average.log * MILLION) / 1e9)],
    ["disk, GB", decimals(disk)],
    ["disk for a month", `$${decimals(disk * PRICES.diskGigabyteMonth)}`],
  ];
  const { repeated, evolving } = WORKLOAD.kinds;
  return [
    "",
    "## A million scans",
    "",
    `Of these, ${percent(repeated)} repeat what is stored, ${percent(evolving)} change a little and ${percent(WORKLOAD.kinds.new)} are new; ${percent(WORKLOAD.maxShare)} are max ones. These shares are`,
    "assumptions: change them in [`workload.ts`](../../bench/capacity/workload.ts).",
    "",
    ...markdownTable(["For a million", "Value"], rows),
  ];
}

function shapeSection(shapes: readonly Shape[]): string[] {
  const row = (name: string, value: (shape: Shape) => string) => [name, ...shapes.map(value)];
  const dollars = ({ dollarsPerMonth: { processors, disk } }: Shape) => processors + disk;
  const scansPerMonth = ({ scansPerDay }: Shape) => (scansPerDay * HOURS_PER_MONTH) / 24;
  const rows = [
    row("scans a day", ({ scansPerDay }) => whole(scansPerDay)),
    row("scans per second, average", ({ average }) => whole(average)),
    row("scans per second, busiest 10 s", ({ peak }) => whole(peak)),
    row("servers of Postgres (shards)", ({ shards }) => whole(shards)),
    row("scans per second of one, busiest 10 s", ({ peakOfOne }) => whole(peakOfOne)),
    row("processors of each, and of its replica", ({ postgresProcessors }) => whole(postgresProcessors)),
    row("apis, a processor each", ({ apis }) => whole(apis)),
    row("workers, a processor each", ({ workers }) => whole(workers)),
    row("processors of Redis, with replicas", ({ redisProcessors }) => whole(redisProcessors)),
    row("longest wait for Postgres, s", ({ longestWaitS }) => decimals(longestWaitS)),
    row("log of one server, busiest 10 s, MB/s", ({ logBytesPerSecond }) =>
      decimals(logBytesPerSecond / 1e6),
    ),
    row("disk of all servers, TB", ({ diskBytes }) => decimals(diskBytes / 1e12)),
    row("dollars a month, processors", ({ dollarsPerMonth }) => `$${whole(dollarsPerMonth.processors)}`),
    row("dollars a month, disk", ({ dollarsPerMonth }) => `$${whole(dollarsPerMonth.disk)}`),
    row(
      "dollars per million scans",
      (shape) => `$${decimals((dollars(shape) / scansPerMonth(shape)) * MILLION)}`,
    ),
  ];
  const head = shapes.map(({ organizations }) => `${whole(organizations)} organizations`);
  return [
    "",
    "## Two shapes",
    "",
    `Each organization has ${whole(WORKLOAD.services)} services with ${WORKLOAD.scansPerServiceAndDay} scans a day. A day is simulated in steps of 10 s: organizations in three time zones, a`,
    `working day with eight times the scans of a night, ${percent(WORKLOAD.scheduledShare)} of the scans within ${WORKLOAD.scheduledWithinS / 60} minutes after full hours, and chance. Runs are kept for`,
    `${WORKLOAD.retentionDays} days. The smallest shape is taken in which no processor is counted on for more than ${BUSY_SHARE * 100} %, no scan waits for Postgres longer`,
    `than ${WAIT_S_MAX} s, and a server of Postgres has at most 16 processors, ${DISK_BYTES_MAX / 1e12} TB of disk and ${LOG_BYTES_PER_SECOND_MAX / 1e6} MB/s of log.`,
    "",
    ...markdownTable(["", ...head], rows),
  ];
}

const notes = [
  "",
  "## What is sharded",
  "",
  "- **Postgres, by organization**: each organization is on one server, with everything that belongs to it",
  "  ([ADR 32](../adr/0032-more-than-one-postgres.md)). Only the two tables that lead from a key or a session to its organization are on all.",
  "- **Redis and workers with it**: each server of Postgres has workers and a Redis of its own, because claims see one server.",
  "- **Apis are not**: any api may serve any organization; it keeps nothing. It then needs connections to every server, through poolers.",
  "- **Runs, by time**: at these numbers of rows, old runs are dropped as partitions of a month rather than deleted.",
  "",
  "## What this leaves out",
  "",
  "- More than one Postgres was not tried, nor one with more than 2 processors: its time per scan is taken to stay the same.",
  "- A scan commits once or twice: the disk of a server must flush as often, together with what is committed at the same time.",
  "- The processors of the price list are others than the measured one.",
  "- Deleting old runs, reading, journeys, load balancers, traffic between zones, backups, and discounts.",
];

const label = (name: string) =>
  name === "postgres" || name === "redis" ? name[0]?.toUpperCase() + name.slice(1) : name;
const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
const whole = (value: number) => Math.round(value).toLocaleString("en-US");
const kilobytes = (bytes: number) => decimals(bytes / 1_000);

/** Three digits that count. */
function decimals(value: number): string {
  if (value >= 100) return whole(value);
  return value.toLocaleString("en-US", { maximumSignificantDigits: value >= 10 ? 3 : 2 });
}
