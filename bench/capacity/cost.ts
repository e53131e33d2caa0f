import { WORKLOAD } from "./workload.ts";

export const PROCESSES = ["api", "worker", "postgres", "redis"] as const;
export type Process = (typeof PROCESSES)[number];

/** The cost of a scan: processor time of each process in milliseconds, and bytes of `log` and `disk`. */
export type Cost = Record<Process | "log" | "disk", number>;

/** The parts of the output of `npm run bench -- cost --json` that this folder reads. */
export interface Measured {
  date: string;
  rounds: number;
  machine: { node: string; processors: number; model: string };
  scenarios: {
    scenario: string;
    figures: { subject: string; measurement: string; median: number; low: number; high: number }[];
  }[];
}

const SIZES = ["typical", "max"] as const;
const KINDS = ["repeated", "evolving", "new"] as const;

/** Returns the median cost of a scan by its size and kind, such as "typical, new". */
export function costsOf(measured: Measured): Map<string, Cost> {
  const figures = measured.scenarios.find(({ scenario }) => scenario === "cost")?.figures ?? [];
  const read = (subject: string, measurement: string): number => {
    const figure = figures.find((each) => each.subject === subject && each.measurement === measurement);
    if (figure === undefined) throw new Error(`${measurement} of "${subject}" was not measured`);
    return figure.median;
  };
  const subjects = SIZES.flatMap((size) => KINDS.map((kind) => `${size}, ${kind}`));
  return new Map(
    subjects.map((subject) => {
      const pairs = [...PROCESSES, "log", "disk"].map((name) => [name, Math.max(0, read(subject, name))]);
      return [subject, Object.fromEntries(pairs) as Cost];
    }),
  );
}

/** The average scan of the workload. */
export function averageCost(costs: ReadonlyMap<string, Cost>): Cost {
  const average: Cost = { api: 0, worker: 0, postgres: 0, redis: 0, log: 0, disk: 0 };
  for (const [subject, cost] of costs) {
    const [size, kind] = subject.split(", ") as [(typeof SIZES)[number], (typeof KINDS)[number]];
    const share = (size === "max" ? WORKLOAD.maxShare : 1 - WORKLOAD.maxShare) * WORKLOAD.kinds[kind];
    for (const name of Object.keys(average) as (keyof Cost)[]) average[name] += cost[name] * share;
  }
  return average;
}
