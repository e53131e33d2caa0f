import { openConnection } from "../support/connection.ts";
import type { Server } from "../support/load.ts";
import { MAX, TYPICAL } from "../support/payloads.ts";
import { checkIngest, type Product, startProduct } from "../support/product.ts";
import type { Figure, Finding } from "../support/report.ts";
import { encodeScan } from "../support/requests.ts";
import { runRounds, type Samples, type Subject, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { seedServices } from "../support/seed.ts";
import { createServiceSet, type ScanKind, type ServiceSet } from "../support/services.ts";
import { quantile } from "../support/statistics.ts";
import { TARGETS } from "../support/targets.ts";
import { pause, type ScanTimes, timeScan } from "../support/time-scan.ts";

const QUEUES = ["redis", "postgres"] as const;
// New scans come last, because they replace everything that the services had before.
const KINDS: readonly ScanKind[] = ["evolving", "repeated", "description only", "new"];
const SERVICES = 50;
/** Scans of one turn. */
const SCANS = 10;

interface Idle {
  queue: (typeof QUEUES)[number];
  product: Product;
  server: Server;
  set: ServiceSet;
}

interface Measured {
  queue: Idle["queue"];
  all: readonly ScanTimes[];
}

/** From the first byte of a scan to its completion, with nothing else to do, beside its 201. */
export const measureCompletion: Scenario = async (environment, { rounds }) => {
  const products: Pick<Idle, "queue" | "product">[] = [];
  for (const queue of QUEUES) {
    products.push({
      queue,
      product: await startProduct(environment, { name: `completion_${queue}`, queue }),
    });
  }
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const size of [MAX, TYPICAL]) {
    const idle: Idle[] = [];
    for (const each of products) {
      const set = createServiceSet(size, SERVICES);
      idle.push({ ...each, set, server: (await seedServices(each.product, set)).command });
    }
    const workers = await Promise.all(products.map(({ product }) => product.startWorker()));
    for (const kind of KINDS) {
      process.stderr.write(`  ${size.name}, ${kind}:`);
      const measured = idle.map((each) => ({ ...each, all: [] as ScanTimes[] }));
      const subjects = measured.map((each) => subjectOf(each, kind, each.all));
      const samples = await runRounds(subjects, rounds);
      for (const each of measured) {
        figures.push(...figuresOf(`idle, ${size.name}, ${kind}: ${each.queue}`, samples, each));
      }
      if (size === MAX && kind === "evolving") findings.push(...findingsOf(samples));
    }
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  }
  return { scenario: "completion", figures, findings };
};

function subjectOf(idle: Idle, kind: ScanKind, all: ScanTimes[]): Subject {
  return {
    name: idle.queue,
    async measure(round) {
      const connection = await openConnection(idle.server.port);
      const times: ScanTimes[] = [];
      for (let n = 0; n < SCANS; n++) {
        const body = encodeScan(idle.set.next(kind, { keeps: true }), "command");
        await pause();
        times.push(await timeScan({ ...idle, connection, check: checkIngest }, body));
      }
      connection.close();
      if (round >= 0) all.push(...times);
      return { answered: quantileOf(times, "answered", 0.5), completed: quantileOf(times, "completed", 0.5) };
    },
  };
}

function quantileOf(times: readonly ScanTimes[], moment: keyof ScanTimes, q: number): number {
  return quantile(
    times.map((each) => each[moment]),
    q,
  );
}

/** The 99th percentile is over the scans of all rounds: one round has too few. */
function figuresOf(subject: string, medians: Samples, { queue, all }: Measured): Figure[] {
  return (["answered", "completed"] as const).flatMap((moment) => {
    const name = moment === "answered" ? "201" : "completed";
    return [
      { subject, measurement: `${name}, p50`, unit: "ms", values: valuesOf(medians, queue, moment) },
      { subject, measurement: `${name}, p99`, unit: "ms", values: [quantileOf(all, moment, 0.99)] },
    ];
  });
}

function findingsOf(samples: Samples): Finding[] {
  return [
    { target: TARGETS.completedRedis, values: valuesOf(samples, "redis", "completed") },
    { target: TARGETS.completedPostgres, values: valuesOf(samples, "postgres", "completed") },
  ];
}
