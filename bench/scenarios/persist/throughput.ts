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

type ContentKind = "new" | "80 % repeated";

interface Case {
  size: ScanSize;
  content: ContentKind;
  requests: number;
  target: Target;
}

const CASES: readonly Case[] = [
  { size: MAX, content: "new", requests: 64, target: TARGETS.persistedMaxNew },
  { size: MAX, content: "80 % repeated", requests: 200, target: TARGETS.persistedMaxMixed },
  { size: TYPICAL, content: "new", requests: 600, target: TARGETS.persistedTypicalNew },
  { size: TYPICAL, content: "80 % repeated", requests: 1_500, target: TARGETS.persistedTypicalMixed },
];

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
    process.stderr.write(`  ${each.size.name}, ${each.content}:`);
    const samples = await runRounds(subjectsOf(each, product, synchronous, body), rounds);
    figures.push(...figuresOf(each, samples));
    findings.push(...findingsOf(each, samples));
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
      // One row at a time, a round would take minutes: its rate is the same with fewer.
      const requests = name === "row-by-row" ? Math.ceil(each.requests / 8) : each.requests;
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

function figuresOf({ size, content }: Case, samples: Samples): Figure[] {
  const measurements = [
    ["perSecond", "1/s"],
    ["p50", "ms"],
    ["p99", "ms"],
  ] as const;
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([measurement, unit]) => ({
      subject: `${size.name}, ${content}: ${subject}`,
      measurement,
      unit,
      values: valuesOf(samples, subject, measurement),
    })),
  );
}

function findingsOf({ size, content, target }: Case, samples: Samples): Finding[] {
  const baseline = fastest(samples, SYNCHRONOUS, "perSecond", "higher");
  const findings: Finding[] = [
    { target, note: baseline, values: ratios(samples, "perSecond", "waymark", baseline) },
  ];
  if (size === MAX && content === "new") {
    const quickest = fastest(samples, SYNCHRONOUS, "p50", "lower");
    findings.push({
      target: TARGETS.maxWithWorker,
      note: quickest,
      values: ratios(samples, "p50", "waymark", quickest),
    });
  }
  return findings;
}
