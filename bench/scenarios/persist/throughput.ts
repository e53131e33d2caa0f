import { createOrganization } from "../../../test/support/stack.ts";
import { startBaseline } from "../../support/baseline.ts";
import type { Environment } from "../../support/environment.ts";
import { applyLoad, type Load, type LoadResult } from "../../support/load.ts";
import { createBodies, MAX, type ScanBody, type ScanSize, TYPICAL } from "../../support/payloads.ts";
import {
  checkIngest,
  connectOwner,
  ingestServer,
  type Product,
  startProduct,
} from "../../support/product.ts";
import type { Figure, Finding, ScenarioResult } from "../../support/report.ts";
import {
  fastest,
  ratios,
  runRounds,
  type Sample,
  type Samples,
  type Subject,
  valuesOf,
} from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { createServices, persistBodies, SERVICES } from "../../support/seed.ts";
import { quantile } from "../../support/statistics.ts";
import { TARGETS, type Target } from "../../support/targets.ts";

const CONNECTIONS = 8;
const DISTINCT_BODIES = 1_000;
const REPEATED_SHARE = 0.8;
const FIRST_NEW_CONTENT = 1_000_000;

/** Each is a server of its own. The first three compete for being the fastest; the others are shown. */
const SYNCHRONOUS = ["synchronous-json", "synchronous-copy", "synchronous-rows"] as const;
const SHOWN = ["synchronous-multi-row", "row-by-row"] as const;
/** What is only shown gets so much of the requests: its rate is the same, and a round would take minutes. */
const SHOWN_SHARE = 1 / 8;

type ContentKind = "new" | "80 % repeated";

interface Case {
  name: string;
  size: ScanSize;
  content: ContentKind;
  requests: number;
  target: Target;
  /** Which measurement the target is about. */
  measurement: "perSecond" | "p50";
}

// A turn of the sustained cases lasts some seconds: how Waymark takes up and ends a burst would otherwise be most of
// what is measured. The burst is short, because connections that send without a pause outrun any worker: the longer
// they do, the more is left to persist when the last one is answered.
const CASES: readonly Case[] = [
  {
    name: "max, a burst of new",
    size: MAX,
    content: "new",
    requests: 64,
    target: TARGETS.maxWithWorker,
    measurement: "p50",
  },
  sustained(MAX, "new", 256, TARGETS.persistedMaxNew),
  sustained(MAX, "80 % repeated", 400, TARGETS.persistedMaxMixed),
  sustained(TYPICAL, "new", 2_400, TARGETS.persistedTypicalNew),
  sustained(TYPICAL, "80 % repeated", 3_000, TARGETS.persistedTypicalMixed),
];

function sustained(size: ScanSize, content: ContentKind, requests: number, target: Target): Case {
  return { name: `${size.name}, ${content}`, size, content, requests, target, measurement: "perSecond" };
}

/** Scans fully persisted per second, with api, worker and database on the same processors. */
export async function measureThroughput(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const product = await startProduct(environment, { name: "persist" });
  await createServices(product);
  for (const size of [MAX, TYPICAL]) {
    await persistBodies(product, { bodies: createBodies(size), count: DISTINCT_BODIES });
  }
  environment.own(await product.startWorker());
  const synchronous = await startSynchronousServers(environment);

  let content = FIRST_NEW_CONTENT;
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const each of CASES) {
    const bodies = createBodies(each.size);
    const body = () => {
      const repeats = each.content !== "new" && Math.random() < REPEATED_SHARE;
      const number = repeats ? Math.floor(Math.random() * DISTINCT_BODIES) : content++;
      return bodies(number, number % SERVICES);
    };
    process.stderr.write(`  ${each.name}:`);
    const samples = await runRounds(subjectsOf(each, product, synchronous, body), rounds);
    figures.push(...figuresOf(each, samples));
    findings.push(findingOf(each, samples));
  }
  return { figures, findings };
}

type SynchronousServers = Awaited<ReturnType<typeof startSynchronousServers>>;

/** All on one database, of which one at a time writes. */
async function startSynchronousServers(environment: Environment) {
  const databaseUrl = await environment.createDatabase("synchronous", "waymark");
  const { apiKey } = await createOrganization(databaseUrl);
  const db = await connectOwner(environment, databaseUrl);
  const servers = new Map<string, ReturnType<typeof ingestServer>>();
  for (const name of [...SYNCHRONOUS, ...SHOWN]) {
    const { ready } = await startBaseline(environment, `baselines/${name}`, { DATABASE_URL: databaseUrl });
    servers.set(name, ingestServer(ready, apiKey));
  }
  return { db, servers };
}

function subjectsOf(
  each: Case,
  product: Product,
  { servers }: SynchronousServers,
  body: () => ScanBody,
): Subject[] {
  const load = (requests: number, check: Load["check"]): Load => ({
    connections: CONNECTIONS,
    requests,
    body,
    check,
  });
  return [
    {
      name: "waymark",
      async measure() {
        const start = performance.now();
        const result = await applyLoad(product.server, load(each.requests, checkIngest()));
        await product.drained();
        return toSample(result, each.requests, performance.now() - start);
      },
    },
    ...[...servers].map(([name, server]) => {
      const isShown = SHOWN.some((shown) => shown === name);
      const requests = isShown ? Math.ceil(each.requests * SHOWN_SHARE) : each.requests;
      return {
        name,
        async measure() {
          const result = await applyLoad(server, load(requests, checkIngest("completed")));
          return toSample(result, requests, result.durationMs);
        },
      };
    }),
  ];
}

function toSample({ latenciesMs }: LoadResult, requests: number, durationMs: number): Sample {
  return {
    perSecond: (requests / durationMs) * 1000,
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
  };
}

function figuresOf({ name }: Case, samples: Samples): Figure[] {
  const measurements = [
    ["perSecond", "1/s"],
    ["p50", "ms"],
    ["p99", "ms"],
  ] as const;
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([measurement, unit]) => ({
      subject: `${name}: ${subject}`,
      measurement,
      unit,
      values: valuesOf(samples, subject, measurement),
    })),
  );
}

function findingOf({ target, measurement }: Case, samples: Samples): Finding {
  const baseline = fastest(samples, SYNCHRONOUS, measurement, target.better);
  return { target, note: baseline, values: ratios(samples, measurement, "waymark", baseline) };
}
