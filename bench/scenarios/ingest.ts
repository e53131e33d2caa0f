import type { Client } from "pg";
import { type Baseline, startBaseline } from "../support/baseline.ts";
import type { Answer } from "../support/connection.ts";
import { applyLoad, type Server } from "../support/load.ts";
import { MAX, type ScanSize, TYPICAL } from "../support/payloads.ts";
import { clearWaiting } from "../support/product-state.ts";
import { checkCounts, checkIngest, connectOwner, type Product, startProduct } from "../support/product.ts";
import type { Figure, Finding } from "../support/report.ts";
import { encodeScans, type Manner, type ScanBody } from "../support/requests.ts";
import { figuresOf, ratios, runRounds, type Sample, type Samples, type Subject } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { type IngestServers, seedServices } from "../support/seed.ts";
import { createServiceSet, SCAN_KINDS, type ScanKind, type ServiceSet } from "../support/services.ts";
import { quantile } from "../support/statistics.ts";
import { acceptTarget, TARGETS } from "../support/targets.ts";

const CONNECTIONS = 8;
/** Requests of a turn: fewer than services, so that no service has two scans in one. */
const REQUESTS = { max: 80, typical: 480 };
const SERVICES = { max: 200, typical: 1_000 };
const MANNERS = ["command", "plain"] as const;
const LATENCIES = [
  ["p50", "ms"],
  ["p99", "ms"],
] as const;

interface Servers {
  product: Product;
  bare: { server: Server; db: Client };
}

/** How long the 201 takes against the bare server, for every kind of scan. No worker runs. */
export const measureIngest: Scenario = async (environment, { rounds }) => {
  const bareUrl = await environment.createDatabase("bare", "empty");
  const baseline = await startBaseline(environment, "baselines/bare.ts", { DATABASE_URL: bareUrl });
  const servers: Servers = {
    product: await startProduct(environment, { name: "ingest" }),
    bare: { server: bareServer(baseline), db: await connectOwner(environment, bareUrl) },
  };
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const size of [MAX, TYPICAL]) {
    const set = createServiceSet(size, size === MAX ? SERVICES.max : SERVICES.typical);
    const product = await seedServices(servers.product, set);
    for (const kind of SCAN_KINDS) {
      process.stderr.write(`  ${size.name}, ${kind}:`);
      const samples = await runRounds(subjectsOf({ servers, product, set, kind }), rounds);
      figures.push(...figuresOf(samples, LATENCIES, (subject) => `${size.name}, ${kind}: ${subject}`));
      findings.push(...findingsOf(samples, size, kind));
    }
  }
  return { scenario: "ingest", figures, findings };
};

function bareServer({ ready }: Baseline): Server {
  // It does not look at the key: one of the same length makes the request as long.
  const key = `wmk_${"x".repeat(52)}`;
  return { port: ready, path: "/api/scans/ingest", keyOf: () => key };
}

interface Case {
  servers: Servers;
  product: IngestServers;
  set: ServiceSet;
  kind: ScanKind;
}

function subjectsOf({ servers: { product, bare }, product: ways, set, kind }: Case): Subject[] {
  const requests = set.size === MAX ? REQUESTS.max : REQUESTS.typical;
  const measure = (server: Server, manner: Manner, check: Check) => async () => {
    const bodies = encodeScans(requests, manner, () => set.next(kind, { keeps: false }));
    return measureTurn(server, bodies, check);
  };
  return MANNERS.flatMap((manner): Subject[] => [
    {
      name: `bare, ${manner}`,
      measure: measure(bare.server, manner, checkCounts()),
      clear: async () => void (await bare.db.query("TRUNCATE bodies")),
    },
    {
      name: `waymark, ${manner}`,
      measure: measure(ways[manner], manner, checkIngest),
      // The waiting scans would only accumulate: no worker runs, and each service keeps its first scan.
      clear: () => clearWaiting(product.db),
    },
  ]);
}

type Check = (answer: Answer, body: ScanBody) => void;

async function measureTurn(server: Server, bodies: readonly ScanBody[], check: Check): Promise<Sample> {
  const { latenciesMs } = await applyLoad(server, {
    connections: CONNECTIONS,
    requests: bodies.length,
    body: (n) => bodies[n] as ScanBody,
    check,
  });
  return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
}

function findingsOf(samples: Samples, size: ScanSize, kind: ScanKind): Finding[] {
  const target = acceptTarget(size, kind);
  return [
    ...MANNERS.map((manner) => ({
      target,
      ...(manner === "plain" && { note: "the plain request", isShown: true }),
      values: ratios(samples, "p50", `waymark, ${manner}`, `bare, ${manner}`),
    })),
    {
      target: TARGETS.commandOverPlain,
      note: `${size.name}, ${kind}`,
      values: ratios(samples, "p50", "waymark, command", "waymark, plain"),
    },
  ];
}
