import type { Client } from "pg";
import { type Baseline, startBaseline } from "../support/baseline.ts";
import { applyLoad, type Load, type Server } from "../support/load.ts";
import { createBodies, MAX, type ScanSize, TYPICAL } from "../support/payloads.ts";
import { checkIngest, connectOwner, type Product, startProduct } from "../support/product.ts";
import type { Figure, Finding } from "../support/report.ts";
import { ratios, runRounds, type Sample, type Samples, type Subject, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { createServices, persistBodies, SERVICES } from "../support/seed.ts";
import { quantile } from "../support/statistics.ts";
import { TARGETS } from "../support/targets.ts";

const CONNECTIONS = 8;
/** What comes again is drawn from so many distinct bodies. */
const DISTINCT_BODIES = 1_000;
/** Contents from here on were never sent before. */
const FIRST_NEW_CONTENT = 1_000_000;
const REQUESTS = { max: 80, typical: 480 };

interface Servers {
  product: Product;
  bare: { server: Server; db: Client };
}

/** How long the 201 takes, and how much write-ahead log it causes, against the bare server. */
export const measureIngest: Scenario = async (environment, { rounds }) => {
  const product = await startProduct(environment, { name: "ingest" });
  const bareUrl = await environment.createDatabase("bare", "empty");
  const baseline = await startBaseline(environment, "baselines/bare", { DATABASE_URL: bareUrl });
  const servers: Servers = {
    product,
    bare: { server: bareServer(baseline), db: await connectOwner(environment, bareUrl) },
  };
  await createServices(product);

  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const size of [MAX, TYPICAL]) {
    const samples = await measureSize(servers, size, rounds);
    figures.push(...figuresOf(samples, size));
    findings.push(...findingsOf(samples, size));
  }
  return { scenario: "ingest", figures, findings };
};

function bareServer({ ready }: Baseline): Server {
  return { port: ready, path: "/", headers: "" };
}

async function measureSize({ product, bare }: Servers, size: ScanSize, rounds: number): Promise<Samples> {
  const bodies = createBodies(size);
  await persistBodies(product, { bodies, count: DISTINCT_BODIES });
  let content = FIRST_NEW_CONTENT;
  const requests = size === MAX ? REQUESTS.max : REQUESTS.typical;
  const fresh = () => bodies(content++, content % SERVICES);
  const known = () => {
    const number = Math.floor(Math.random() * DISTINCT_BODIES);
    return bodies(number, number % SERVICES);
  };
  const burst = (body: Load["body"], check: Load["check"]): Load => ({
    connections: CONNECTIONS,
    requests,
    body,
    check,
  });

  const subjects: Subject[] = [
    {
      name: "bare",
      measure: () => measureBurst(bare.server, bare.db, burst(fresh, checkIngest())),
      clear: async () => void (await bare.db.query("TRUNCATE bodies")),
    },
    {
      name: "waymark, new content",
      measure: () => measureBurst(product.server, product.db, burst(fresh, checkIngest("accepted"))),
      // Nobody works here: what waits would only grow.
      clear: async () => void (await product.db.query("TRUNCATE scan_payloads")),
    },
    {
      name: "waymark, repeated content",
      measure: () => measureBurst(product.server, product.db, burst(known, checkIngest("completed"))),
    },
  ];
  process.stderr.write(`  ${size.name}:`);
  return runRounds(subjects, rounds);
}

async function measureBurst(server: Server, db: Client, load: Load): Promise<Sample> {
  const before = await writeAheadLogBytes(db);
  const { latenciesMs, durationMs } = await applyLoad(server, load);
  const bytes = (await writeAheadLogBytes(db)) - before;
  return {
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    perSecond: (load.requests / durationMs) * 1000,
    walBytes: bytes / load.requests,
  };
}

async function writeAheadLogBytes(db: Client): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes",
  );
  return Number(rows[0]?.bytes);
}

function figuresOf(samples: Samples, size: ScanSize): Figure[] {
  const measurements = [
    ["p50", "ms"],
    ["p99", "ms"],
    ["perSecond", "1/s"],
    ["walBytes", "bytes"],
  ] as const;
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([measurement, unit]) => ({
      subject: `${size.name}: ${subject}`,
      measurement,
      unit,
      values: valuesOf(samples, subject, measurement),
    })),
  );
}

function findingsOf(samples: Samples, size: ScanSize): Finding[] {
  const fresh = ratios(samples, "p50", "waymark, new content", "bare");
  const known = ratios(samples, "p50", "waymark, repeated content", "bare");
  if (size === TYPICAL) {
    return [
      { target: TARGETS.typicalNew, values: fresh },
      { target: TARGETS.typicalRepeated, values: known },
    ];
  }
  return [
    { target: TARGETS.maxNew, values: fresh },
    { target: TARGETS.maxRepeated, values: known },
    { target: TARGETS.walPerIngest, values: ratios(samples, "walBytes", "waymark, new content", "bare") },
  ];
}
